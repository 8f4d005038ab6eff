"""What becomes of mails that are not taken: nothing is lost, nothing holds up the rest, nothing is injected."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from api.email import smtp
from api.email.outbox import CLAIM, GIVE_UP_AFTER, retry_delay
from api.email.webhook_notices import OwnerNotice
from tests.api.fixtures.mail_server import NOON, NOTICE, Box, PostOffice, copied, opened, run, unused_port


@pytest.fixture
def box(tmp_path: Path, migrated: Path) -> Iterator[Box]:
    with opened(copied(migrated, tmp_path)) as made:
        yield made


def step(box: Box, office: PostOffice, **more: Any) -> int:
    async def main() -> int:
        async with office.open(**more):
            return await box.mailer(office.settings()).step()

    return asyncio.run(main())


def test_a_server_that_is_down_loses_nothing(control_url: str) -> None:
    office = PostOffice()
    office.port = unused_port()
    with opened(control_url) as box:
        for number in range(3):
            box.add(f"paused:whs_{number}:1")
        assert run(box.mailer(office.settings()).step()) == 0
        assert [box.mail(f"paused:whs_{number}:1").attempts for number in range(3)].count(0) == 2, (
            "one found the server down; the others need not wait for it"
        )
        box.seconds += 60
        assert step(box, office) == 3
        assert box.waits() == 0
    assert len(office.posts) == 3


def test_waits_grow_to_an_hour() -> None:
    assert [retry_delay(n).total_seconds() for n in (1, 2, 3, 4, 5, 6, 7, 8, 500)] == [
        60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600,
    ]  # fmt: skip


def test_a_refusal_for_now_is_tried_again_later(box: Box, caplog: pytest.LogCaptureFixture) -> None:
    office = PostOffice(answers=["451 4.7.1 greylisted"])
    box.add("one")
    box.add("two", "other@example.com")
    assert step(box, office) == 1, "the other one is sent by the same connection"
    refused = next(mail for mail in map(box.mail, ("one", "two")) if mail.sent_at is None)
    assert "451 4.7.1 greylisted" in refused.last_error
    assert refused.next_attempt_at == NOON + timedelta(minutes=1)
    assert "next attempt in 60 s" in caplog.text
    assert step(box, office) == 0, "not before its time"
    box.seconds += 60
    assert step(box, office) == 1
    assert box.waits() == 0


def test_an_address_that_does_not_exist_is_given_up(box: Box, caplog: pytest.LogCaptureFixture) -> None:
    office = PostOffice(answers=["550 5.1.1 no such user"])
    box.add("one")
    assert step(box, office) == 0
    assert box.waits() == 0
    assert "5.1.1 no such user" in box.mail("one").last_error
    assert "notify the owner another way" in caplog.text


@pytest.mark.parametrize("answer", ["550 5.7.1 relaying denied", "530 5.7.0 authentication required"])
def test_a_refusal_that_an_operator_can_mend_is_tried_again(box: Box, answer: str) -> None:
    office = PostOffice(answers=[answer])
    box.add("one")
    assert step(box, office) == 0
    assert box.waits() == 1


def test_a_mail_that_is_never_taken_is_given_up_with_what_it_speaks_of(box: Box) -> None:
    office = PostOffice(answers=["450 4.2.2 mailbox full"] * 2)
    box.add("one")
    box.seconds += (GIVE_UP_AFTER - timedelta(seconds=1)).total_seconds()
    step(box, office)
    assert box.waits() == 1
    box.seconds += 60
    step(box, office)
    assert box.waits() == 0
    assert box.mail("one").sent_at is None


def test_a_server_that_hangs_up_after_the_mail_gets_it_again_under_the_same_id(box: Box) -> None:
    """Whether it took the mail is not known: rather twice than never, and so that it can be told."""
    office = PostOffice(taken=lambda server: server.transport.abort() or "250 OK")
    box.add("one")
    assert step(box, office) == 0
    office.taken = lambda server: "250 OK"
    box.seconds += 60
    assert step(box, office) == 1
    first, second = office.posts
    assert first.id == second.id
    assert first.text == second.text


def test_a_process_that_dies_while_sending_leaves_the_mail_to_the_next(box: Box) -> None:
    """Killed between the server's yes and our note of it: the claim runs out, the mail is repeated."""
    office = PostOffice()
    box.add("one")
    reached = asyncio.Event()
    takes = office.handle_DATA

    async def hesitates(*arguments: Any) -> str:
        await takes(*arguments)
        reached.set()
        return await _never()

    async def main() -> None:
        async with office.open():
            office.handle_DATA = hesitates  # type: ignore[method-assign]
            dying = asyncio.create_task(box.mailer(office.settings()).step())
            await reached.wait()
            dying.cancel()
            await asyncio.gather(dying, return_exceptions=True)
            office.handle_DATA = takes  # type: ignore[method-assign]
            following = box.mailer(office.settings())
            assert await following.step() == 0, "it may still be on its way"
            box.seconds += CLAIM.total_seconds()
            assert await following.step() == 1

    asyncio.run(main())
    assert len({post.id for post in office.posts}) == 1
    assert box.waits() == 0


@pytest.mark.parametrize("when", ["connecting", "sending"])
def test_a_server_that_says_nothing_is_left(box: Box, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    monkeypatch.setattr(smtp, "CONNECT_SECONDS" if when == "connecting" else "MAIL_SECONDS", 0.2)
    office = PostOffice()
    box.add("one")

    async def main() -> int:
        if when == "sending":
            office.handle_RCPT = _never  # type: ignore[method-assign]
            async with office.open():
                return await box.mailer(office.settings()).step()
        silent = await asyncio.start_server(_silent, "127.0.0.1", 0)
        office.port = silent.sockets[0].getsockname()[1]
        async with silent:
            return await box.mailer(office.settings()).step()

    assert asyncio.run(main()) == 0
    assert "imeout" in box.mail("one").last_error
    assert box.waits() == 1


async def _never(*_: Any) -> str:
    await asyncio.Event().wait()
    return "250 OK"


async def _silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("subject", "Webhook\r\nBcc: everybody@example.com"),
        ("recipient", "a@b.example>\r\nRCPT TO:<everybody@example.com"),
        ("recipient", "a@b.example,everybody@example.com"),
        ("recipient", "a@b.example> SIZE=1"),
        ("recipient", "no address"),
        ("recipient", ""),
        ("recipient", "a@xn--\u00e4"),
    ],
    ids=["subject", "command", "two", "parameter", "none", "empty", "domain"],
)
def test_hostile_rows_are_given_up_and_hold_up_nobody(box: Box, column: str, value: str) -> None:
    """Nothing of ours writes such rows; they are nobody's way into a mail server all the same."""
    office = PostOffice()
    box.add("hostile")
    box.change("hostile", **{column: value})
    box.seconds += 1
    box.add("honest")
    assert step(box, office) == 1
    assert office.recipients == ["owner@example.com"]
    assert box.waits() == 0
    assert "cannot be encoded as an e-mail" in box.mail("hostile").last_error


def test_a_text_cannot_end_the_mail_and_begin_another(box: Box) -> None:
    office = PostOffice()
    text = "a\n.\nMAIL FROM:<x@y.example>\nRCPT TO:<everybody@example.com>\nDATA\n.\n"
    box.add("one", notice=OwnerNotice("a subject", text))
    step(box, office)
    assert [post.text for post in office.posts] == [text]
    assert office.recipients == ["owner@example.com"]


def test_addresses_beyond_ascii(box: Box) -> None:
    office = PostOffice()
    box.add("domain", "owner@blåbär.example")
    assert step(box, office) == 1
    assert office.recipients == ["owner@xn--blbr-noae.example"]
    box.add("local", "jörg@example.com")
    assert step(box, office) == 0, "this server cannot; another may"
    assert box.waits() == 1
    box.seconds += 60
    assert step(box, office, enable_SMTPUTF8=True) == 1
    assert office.recipients[-1] == "jörg@example.com"


def test_a_probe_says_whether_a_server_can_be_used(box: Box) -> None:
    office = PostOffice()

    async def main() -> None:
        async with office.open():
            await smtp.MailServer(office.settings()).probe()
        with pytest.raises(smtp.MailServerUnreachableError, match="FIRM_SMTP_HOST"):
            await smtp.MailServer(office.settings()).probe()

    asyncio.run(main())
    assert office.posts == []


def test_the_notice_is_the_one_that_was_kept(box: Box) -> None:
    """A later edition of a text does not change a mail that waits."""
    office = PostOffice(answers=["451 later"])
    box.add("one")
    step(box, office)
    assert not box.add("one", notice=OwnerNotice("another", "another"))
    box.seconds += 60
    step(box, office)
    assert office.posts[0].message["Subject"] == NOTICE.subject
