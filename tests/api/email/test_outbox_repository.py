"""The outbox: one mail per occasion, claimed by one, lost by nobody; on both engines."""

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from api.database.engine import Database
from api.email import outbox
from api.email.webhook_notices import OwnerNotice
from tests.api.fixtures.mail_server import NOON, NOTICE, Box, opened

MINUTE = timedelta(minutes=1)


@pytest.fixture
def box(control_url: str) -> Iterator[Box]:
    with opened(control_url) as made:
        yield made


def claim(box: Box, at: Any, until: Any) -> Any:
    with box.database.writing() as session:
        return outbox.claim_mail(session.connection(), at, until)


def settle(box: Box, how: Any, *arguments: Any) -> None:
    with box.database.writing() as session:
        how(session.connection(), *arguments)


def test_an_occasion_has_one_mail(box: Box) -> None:
    assert box.add("paused:whs_1:7")
    assert not box.add("paused:whs_1:7", notice=OwnerNotice("another", "text"))
    assert box.add("paused:whs_1:9")
    assert box.mail("paused:whs_1:7").subject == NOTICE.subject
    assert box.mail("paused:whs_1:7").mail_id != box.mail("paused:whs_1:9").mail_id


def test_a_mail_is_not_there_when_what_it_speaks_of_is_rolled_back(box: Box) -> None:
    with pytest.raises(ZeroDivisionError), box.database.writing() as session:
        assert 1 / (not outbox.add_mail(session.connection(), "one", "acc_1", "a@b.example", NOTICE, NOON))
    assert box.waits() == 0


def test_racing_writers_add_one_mail(box: Box, control_url: str) -> None:
    together = threading.Barrier(6)

    def add(_: int) -> bool:
        own = Database(control_url)
        together.wait()
        with own.writing() as session:
            added = outbox.add_mail(session.connection(), "paused:whs_1:7", "acc_1", "a@b.example", NOTICE, NOON)
        own.close()
        return added

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(add, range(6))) == [False] * 5 + [True]
    assert box.waits() == 1


def test_what_is_due_longest_is_claimed_first_and_by_one(box: Box) -> None:
    box.seconds = NOON.timestamp() + 60
    box.add("second")
    box.seconds = NOON.timestamp()
    box.add("first")
    assert claim(box, NOON - MINUTE, NOON) is None, "nothing is due yet"
    assert claim(box, NOON + MINUTE, NOON + 3 * MINUTE).occasion == "first"
    assert claim(box, NOON + MINUTE, NOON + 3 * MINUTE).occasion == "second"
    assert claim(box, NOON + MINUTE, NOON + 3 * MINUTE) is None, "both are claimed"


def test_a_claim_that_ran_out_is_taken_over_and_says_no_more(box: Box) -> None:
    box.add("one")
    slow = claim(box, NOON, NOON + MINUTE)
    quick = claim(box, NOON + MINUTE, NOON + 2 * MINUTE)
    assert (slow.attempts, quick.attempts) == (1, 2)
    settle(box, outbox.mark_unsent, slow, "too late to say", NOON + 90 * MINUTE)
    settle(box, outbox.mark_unsent, slow, "too late as well")
    assert box.mail("one").next_attempt_at == NOON + 2 * MINUTE
    assert box.mail("one").last_error is None


def test_a_mail_that_was_sent_stays_sent(box: Box) -> None:
    box.add("one")
    slow = claim(box, NOON, NOON + MINUTE)
    quick = claim(box, NOON + MINUTE, NOON + 2 * MINUTE)
    settle(box, outbox.mark_sent, slow, NOON + MINUTE)
    settle(box, outbox.mark_unsent, quick, "the server was busy", NOON + 9 * MINUTE)
    assert box.mail("one").sent_at == NOON + MINUTE
    assert box.mail("one").next_attempt_at is None
    assert claim(box, NOON + 99 * MINUTE, NOON + 100 * MINUTE) is None


def test_racing_claims_share_the_mails_out(box: Box, control_url: str) -> None:
    for number in range(40):
        box.add(f"warning:whs_{number}:1")
    together = threading.Barrier(4)

    def take(_: int) -> list[str]:
        own, taken = Database(control_url), []
        together.wait()
        while True:
            with own.writing() as session:
                mail = outbox.claim_mail(session.connection(), NOON, NOON + MINUTE)
            if mail is None:
                break
            taken.append(mail.occasion)
        own.close()
        return taken

    with ThreadPoolExecutor(4) as pool:
        taken = Counter(occasion for part in pool.map(take, range(4)) for occasion in part)
    assert taken == {f"warning:whs_{number}:1": 1 for number in range(40)}


def test_what_waits_is_counted_from_the_oldest(box: Box) -> None:
    box.add("one")
    box.seconds += 60
    box.add("two")
    with box.database.reading() as session:
        assert outbox.count_waiting_mails(session.connection()) == outbox.WaitingMails(2, NOON)
    settle(box, outbox.mark_unsent, claim(box, NOON, NOON + MINUTE), None)
    with box.database.reading() as session:
        assert outbox.count_waiting_mails(session.connection()) == outbox.WaitingMails(1, NOON + MINUTE)
