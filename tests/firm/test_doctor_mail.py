"""`firm doctor` tries the mail server as notices will use it, and writes to nobody."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.api.fixtures.mail_server import PostOffice, unused_port
from tests.firm.inside import Inside


@contextmanager
def a_mail_server() -> Iterator[PostOffice]:
    """In a thread: a command has a loop of its own."""
    office, is_open, done = PostOffice(), threading.Event(), threading.Event()

    async def serve() -> None:
        async with office.open():
            is_open.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    is_open.wait()
    try:
        yield office
    finally:
        done.set()
        thread.join()


def test_without_a_mail_server_doctor_says_where_notices_go(tmp_path: Path) -> None:
    said = Inside(tmp_path / "data").run("doctor")
    assert "warn\tno mail server\tset FIRM_SMTP_HOST: until then notices to owners go to the log, and" in said.out


def test_doctor_says_why_a_mail_server_cannot_be_used(tmp_path: Path) -> None:
    port = str(unused_port())
    given = {"FIRM_SMTP_HOST": "127.0.0.1", "FIRM_SMTP_PORT": port, "FIRM_SMTP_PASSWORD": "hush"}
    said = Inside(tmp_path / "data").run("doctor", **given)
    assert said.exit_code == 1
    assert f"bad\tmail server\tmail server 127.0.0.1 port {port} (starttls) cannot be used" in said.out
    assert "check FIRM_SMTP_HOST, _PORT, _SECURITY, _USERNAME and _PASSWORD" in said.out
    assert "hush" not in said.out


def test_doctor_writes_to_nobody(tmp_path: Path) -> None:
    with a_mail_server() as office:
        given = {"FIRM_SMTP_HOST": "127.0.0.1", "FIRM_SMTP_PORT": str(office.port), "FIRM_SMTP_SECURITY": "none"}
        said = Inside(tmp_path / "data").run("doctor", **given)
    assert "ok\tmail server 127.0.0.1 works" in said.out
    assert (office.posts, office.recipients) == ([], [])
