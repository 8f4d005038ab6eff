"""The service on a disk that fails: parts that deliver, and answering; run by `on_a_disk` in its mount namespace.

Belongs here: what is stored before, what is asked meanwhile, what there must be afterwards. Does not belong here: the
disk (`on_a_disk`), or what is said of it (`of_disks`).
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from sqlalchemy import insert

from api.auth.encryption import SecretBox
from api.auth.service_secrets import ServiceSecrets
from api.common.clock import Clock
from api.database.engine import Database
from api.database.migrate import prepare_database
from api.database.models.accounts import Mail
from api.database.models.webhooks import Delivery
from api.settings.service import ApiSettings
from api.webhooks.egress.signing import make_secret
from api.webhooks.runner import DeliveryRunner
from firm.bootstrap import Installation
from firm.demo.background_server import run_background_server
from sandbox import expected
from tests.api.fixtures.fanout import ACCOUNT, Control
from tests.faults.steps import of_delivering
from tests.faults.world import Prepared, State
from tests.firm.inside import Inside
from warehouse.ledger.ledger import Ledger
from warehouse.reader.reader import ReleaseReader
from warehouse.storage.layout import Layout

PATIENCE: Final = 60.0
SAID: Final = {"worker": "finished attempts are kept and written later"}
"""Of a part that goes on by itself; the others are begun again, which is told with their names."""

ASKED: Final = 20  # times while the disk is full
Change = Callable[[], None]


class _Lines(logging.Handler):
    """What was logged, oldest first."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())

    def have(self, words: str) -> bool:
        return any(words in line for line in self.said)


@contextmanager
def _logged() -> Iterator[_Lines]:
    lines, logger = _Lines(), logging.getLogger("firm")
    logger.addHandler(lines)
    try:
        yield lines
    finally:
        logger.removeHandler(lines)


def _until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def delivering(prepared: Prepared, disk: Path, fails: Change, is_well: Change) -> dict[str, Any]:
    """Parts begin on a disk that has failed, with events to match, an attempt and a mail that are due."""
    layout = Layout(Inside(prepared.folder / "sound").copy(disk / "data").data)
    sealer = SecretBox(ServiceSecrets.generate().sealing_keys)
    url = f"sqlite:///{layout.root / 'control.sqlite'}"
    with closing(prepare_database(url)) as database:
        control = Control(database)
        control.now = Clock().now()
        control.subscribe(secret=sealer.seal(make_secret()), from_sequence=0)
        _mail(control)
    fails()
    with (
        closing(Database(url, durable=False)) as database,
        closing(ReleaseReader(layout)) as reader,
        _logged() as lines,
    ):
        parts = DeliveryRunner(ApiSettings(data=layout.root), database, reader, sealer, Clock(), lambda _: None)
        asyncio.run(_begun(parts, lines, is_well, lambda: _is_done(database, layout)))
    return {"said": [line for line in lines.said if "the database fails" in line], "is_done": True}


async def _begun(parts: DeliveryRunner, lines: _Lines, is_well: Change, is_done: Callable[[], bool]) -> None:
    def said_by_all() -> bool:
        return all(lines.have(SAID.get(part, f"{part}: the database fails")) for part in of_delivering())

    async with parts.run_in_background():
        await asyncio.to_thread(_until, said_by_all, "every part tells of it")
        is_well()
        await asyncio.to_thread(_until, is_done, "every part has begun again")


def _mail(control: Control) -> None:
    text = {"subject": "s", "body": "b", "recipient": "owner@example.com", "account_id": ACCOUNT}
    due = {"created_at": control.now, "next_attempt_at": control.now - timedelta(minutes=1), "attempts": 0}
    with control.database.writing() as session:
        session.execute(insert(Mail), [{"mail_id": "mail_1", "occasion": "one", **text, **due}])


def _is_done(database: Database, layout: Layout) -> bool:
    """Every event is matched, an attempt has been made, the mail is out."""
    with database.reading() as session:
        deliveries = session.query(Delivery).all()
        mail = session.query(Mail).one()
        tried = any(one.attempt_count for one in deliveries)
    return len(deliveries) == len(Ledger(layout).after(0, 1000)) and tried and mail.next_attempt_at is None


def serving(prepared: Prepared, disk: Path, fails: Change, is_well: Change) -> dict[str, Any]:
    """A service answers while its disk takes nothing, and stores what it has counted afterwards."""
    firm = prepared.loaded.copy(disk / "data")
    key = _key(firm)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIRM_DATA", str(firm.data))
        installation = Installation.read()
    with _logged() as lines, run_background_server(installation) as base:
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=base, headers=headers, trust_env=False) as client:
            path = f"/api/v1/companies/{_company(prepared)}"
            assert client.get(path).status_code == 200
            _until(lambda: _counted(firm) == 1, "the first request is stored")
            _empty_log(firm)  # what is allocated there would do for a while
            fails()
            statuses = [client.get(path).status_code for _ in range(ASKED)]
            _until(lambda: lines.have("usage cannot be stored"), "the service tells of it")
            is_well()
            _until(lambda: _counted(firm) == 1 + ASKED, "every request is stored")
    said = [line for line in lines.said if "usage" in line]
    return {"said": said, "statuses": sorted(set(statuses)), "same": State.of(firm.data) == prepared.before}


def _key(firm: Inside) -> str:
    account = ("--email", "reader@example.com", "--tier", "business")
    assert firm.run("accounts", "create", *account).exit_code == 0
    made = firm.run("keys", "create", "--account", "reader@example.com", "--kind", "live", "--json")
    return json.loads(made.out)["key"]


def _company(prepared: Prepared) -> str:
    told = json.loads((prepared.folder / "days" / "truth.json").read_text())
    return min(expected.expected_on_day(told, told["days"][0]))


def _counted(firm: Inside) -> int:
    with closing(sqlite3.connect(firm.data / "control.sqlite")) as connection:
        return connection.execute("SELECT coalesce(sum(count), 0) FROM usage").fetchone()[0]


def _empty_log(firm: Inside) -> None:
    with closing(sqlite3.connect(firm.data / "control.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
