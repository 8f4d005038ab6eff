"""Mails reach a real mail server: once each, whole, by the security that was asked for."""

import asyncio
import ssl
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest
import trustme

from api.database.engine import Database
from api.database.models.webhooks import EndpointState, Subscription
from api.email import outbox
from api.email.outbox import OutboxWorker
from api.email.webhook_notices import OwnerNotice
from api.settings.mail import MailSettings
from api.webhooks.subscriptions import repository
from tests.api.fixtures.mail_server import NOON, NOTICE, Box, PostOffice, copied, opened, run
from warehouse.settings.errors import SettingError

PATIENCE_SECONDS = 30


@pytest.fixture
def box(tmp_path: Path, migrated: Path) -> Iterator[Box]:
    with opened(copied(migrated, tmp_path)) as made:
        yield made


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def certified(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server's TLS, by an authority that this machine trusts from now on."""
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    return context


def sent_by(box: Box, office: PostOffice, security: str = "none", tls: Any = None, **more: Any) -> None:
    """One step of a mailer that sends by that server."""
    settings = {"security": security} | {name: more.pop(name) for name in ("username", "password") if name in more}

    async def main() -> None:
        async with office.open(tls, **more):
            await box.mailer(office.settings(**settings)).step()

    asyncio.run(main())


def test_a_mail_comes_as_it_was_written(box: Box) -> None:
    office = PostOffice()
    text = "Förklaring på «svenska»\n.\n.. dots\n\nhttps://hooks.example.com/" + "a" * 2_000 + "\n"
    box.add("paused:whs_1:7", notice=OwnerNotice("Webhook paused: dålig.example " + "x" * 150, text))
    sent_by(box, office)
    (post,) = office.posts
    assert post.sender == "webhooks@firm.test"
    assert post.recipients == ["owner@example.com"]
    assert post.message["From"] == "Firmdata <webhooks@firm.test>"
    assert post.message["To"] == "owner@example.com"
    assert post.message["Subject"] == "Webhook paused: dålig.example " + "x" * 150
    assert parsedate_to_datetime(post.message["Date"]) == NOON
    assert post.message["Auto-Submitted"] == "auto-generated"
    assert post.text == text
    mail = box.mail("paused:whs_1:7")
    assert post.id == f"<{mail.mail_id}@firm.test>"
    assert (mail.sent_at, mail.next_attempt_at, mail.attempts) == (NOON, None, 1)


def test_many_mails_share_one_connection(box: Box) -> None:
    office = PostOffice()
    for number in range(5):
        box.add(f"warning:whs_{number}:1", f"owner{number}@example.com")
    sent_by(box, office)
    assert sorted(post.recipients[0] for post in office.posts) == [f"owner{n}@example.com" for n in range(5)]
    assert box.waits() == 0


def test_starttls_and_login(box: Box, certified: ssl.SSLContext) -> None:
    office = PostOffice()
    box.add("one")
    demands = {"tls_context": certified, "require_starttls": True, "auth_required": True}
    account = {"username": "firm", "password": "right"}
    sent_by(box, office, "starttls", authenticator=office.login, **demands, **account)
    assert len(office.posts) == 1
    assert office.logins == [b"firm"]


def test_tls_from_the_first_byte(box: Box, certified: ssl.SSLContext) -> None:
    office = PostOffice()
    box.add("one")
    sent_by(box, office, "tls", tls=certified)
    assert len(office.posts) == 1


def test_a_server_without_starttls_gets_nothing(box: Box) -> None:
    """Whoever sits in between could have struck the offer out."""
    office = PostOffice()
    box.add("one")
    sent_by(box, office, "starttls", auth_require_tls=False, authenticator=office.login, username="firm")
    assert (office.posts, office.logins, office.recipients) == ([], [], [])
    assert "starttls" in box.mail("one").last_error


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_that_nobody_vouches_for_is_refused(
    box: Box, certified: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, security: str
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    office = PostOffice()
    box.add("one")
    sent_by(
        box,
        office,
        security,
        tls=certified if security == "tls" else None,
        tls_context=certified if security == "starttls" else None,
    )
    assert office.posts == []
    assert "certificate" in box.mail("one").last_error.lower()
    assert box.waits() == 1


def test_mail_once_under_race(control_url: str) -> None:
    """Several processes' mailers, each with connections of its own, empty one outbox: nothing comes twice."""
    office = PostOffice()
    with opened(control_url) as box:
        for number in range(30):
            box.add(f"paused:whs_{number}:1")
        databases = [Database(control_url) for _ in range(4)]

        async def main() -> None:
            async with office.open():
                mailers = [OutboxWorker(database, office.settings(), box.clock) for database in databases]
                await asyncio.gather(*[mailer.step() for mailer in mailers])

        asyncio.run(main())
        assert box.waits() == 0
        for database in databases:
            database.close()
    assert len(office.posts) == 30
    assert set(Counter(post.id for post in office.posts).values()) == {1}


def test_pause_mail_once_under_race(control_url: str) -> None:
    """Six workers see the last retry fail at once: one pauses and writes the mail, which comes once."""
    office = PostOffice()
    with opened(control_url) as box:
        _subscribe(box)

        def fail(_: int) -> bool:
            own = Database(control_url)
            with own.writing() as session:
                connection = session.connection()
                is_winner = repository.pause_subscription(connection, "whs_1", "retries_exhausted", NOON)
                if is_winner:
                    outbox.add_mail(connection, "paused:whs_1:2", "acc_1", "owner@example.com", NOTICE, NOON)
            asyncio.run(OutboxWorker(own, office.settings(), box.clock).step())
            own.close()
            return is_winner

        async def main() -> list[bool]:
            async with office.open():
                with ThreadPoolExecutor(6) as pool:
                    loop = asyncio.get_running_loop()
                    return list(await asyncio.gather(*[loop.run_in_executor(pool, fail, n) for n in range(6)]))

        assert sorted(asyncio.run(main())) == [False] * 5 + [True]
    assert [post.message["Subject"] for post in office.posts] == [NOTICE.subject]


def _subscribe(box: Box) -> None:
    with box.database.writing() as session:
        session.add(
            Subscription(
                subscription_id="whs_1",
                account_id="acc_1",
                endpoint_url="https://hooks.example.com/",
                event_types=["filing.added"],
                event_mask=1,
                all_companies=True,
                status="active",
                status_changed_at=NOON,
                created_at=NOON,
                updated_at=NOON,
                revision=1,
                from_sequence=0,
                secret=b"",
                secret_hint="whsec_…Hh8=",
            )
        )
        session.flush()
        session.add(EndpointState(subscription_id="whs_1", consecutive_failures=6))


def test_without_a_mail_server_the_text_is_logged_once(box: Box, caplog: pytest.LogCaptureFixture) -> None:
    box.add("one")
    mailer = box.mailer(MailSettings())
    assert run(mailer.step()) == 1
    assert run(mailer.step()) == 0
    (record,) = [line for line in caplog.records if line.name == "firm.mail"]
    for told in ("acc_1", NOTICE.subject, NOTICE.body, "FIRM_SMTP_HOST"):
        assert told in record.getMessage()
    mail = box.mail("one")
    assert (mail.sent_at, mail.next_attempt_at, mail.last_error) == (None, None, None)


def test_a_mailer_runs_until_it_is_told_to_stop(box: Box) -> None:
    office = PostOffice()
    box.add("one")

    async def main() -> None:
        stop, sent = asyncio.Event(), asyncio.Event()
        office.taken = lambda server: sent.set() or "250 OK"
        async with office.open():
            running = asyncio.create_task(box.mailer(office.settings()).run(stop))
            await asyncio.wait_for(sent.wait(), PATIENCE_SECONDS)
            stop.set()
            await asyncio.wait_for(running, PATIENCE_SECONDS)

    asyncio.run(main())
    assert box.mail("one").sent_at == NOON, "what was being sent is noted"


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"FIRM_SMTP_SENDER": "nobody"}, "must be an e-mail address"),
        ({"FIRM_SMTP_SENDER": "a@b.example, c@d.example"}, "must be an e-mail address"),
        ({"FIRM_SMTP_SENDER": "x <a@b.example>\r\nBcc: c@d.example"}, "must be an e-mail address"),
        ({"FIRM_SMTP_SENDER": "jörg@b.example"}, "must be an e-mail address"),
        ({"FIRM_SMTP_SECURITY": "none", "FIRM_SMTP_USERNAME": "firm"}, "unencrypted"),
    ],
    ids=["no-address", "two", "header", "non-ascii", "clear-password"],
)
def test_settings_that_make_no_sense_are_refused(environment: dict[str, str], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        MailSettings.read(environment)


def test_a_password_is_never_shown() -> None:
    given = MailSettings.read({"FIRM_SMTP_PASSWORD": "hush", "FIRM_SMTP_SENDER": "Ö <a@b.example>"})
    assert given.password == "hush"
    assert "hush" not in repr(given)
