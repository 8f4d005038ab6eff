"""The control-plane database copied out of and into both engines, beside those who write to it."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, inspect, select, text

from api.database import backup, migrate
from api.database.engine import Database
from api.database.models.accounts import SignInLink
from api.database.models.base import Base
from api.database.models.webhooks import Delivery, EndpointState, Lease, LedgerCursor, QueuedAttempt, Replay
from api.webhooks.subscriptions.repository import delete_subscription
from tests.api.fixtures import delivery_log

NOW = delivery_log.NOW


@pytest.fixture
def database(control_url: str) -> Iterator[Database]:
    made = migrate.prepare_database(control_url)
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Another database without rows, on each engine in turn."""
    if request.param == "sqlite":
        made = migrate.prepare_database(f"sqlite:///{tmp_path / 'elsewhere' / 'control.sqlite'}")
    else:
        made = migrate.prepare_database(request.getfixturevalue("postgresql")())
    yield made
    made.close()


def filled(database: Database) -> delivery_log.Log:
    """Every table has a row, those with nulls in JSON columns too."""
    log = delivery_log.Log(database)
    account = log.account("Åsa@example.com")
    subscription = log.subscription(account, previous_secret=b"former", credentials=b"key")
    delivery = log.deliver(subscription, log.event(name="Blåbær «1»"), "retrying", next_attempt_at=NOW)
    log.attempt(delivery)
    log.add(
        QueuedAttempt,
        subscription_id=subscription,
        due_at=NOW,
        attempt_id="att_1",
        delivery_id=delivery,
        trigger="schedule",
    )
    window = {
        "since": NOW,
        "until": NOW,
        "statuses": ["held"],
        "matched": 1,
        "succeeded": 0,
        "failed": 0,
        "created_at": NOW,
    }
    log.add(Replay, replay_id="rpl_1", subscription_id=subscription, event_types=None, **window)
    log.add(LedgerCursor, name="fan_out", sequence=1)
    log.add(Lease, name="fan_out", holder="dead:1", until=NOW)
    log.add(SignInLink, digest=b"l" * 32, email="a@example.com", created_at=NOW, expires_at=NOW)
    with database.writing() as session:
        session.execute(text("UPDATE webhook_lanes SET lessee = 'dead:1', leased_until = 1, next_due_at = 1"))
    rest: dict[str, dict[str, Any]] = {
        "api_keys": {
            "key_id": "key_1",
            "account_id": account,
            "kind": "public",
            "shown_prefix": "firm_public_aa",
            "shown_last": "aaaa",
            "digest": b"d" * 32,
            "domains": ["*.example.com"],
            "created_at": NOW,
        },
        "event_streams": {"stream_id": "str_1", "account_id": account, "holder": "dead:1:aa", "until": NOW},
        "usage": {"account_id": account, "month": 202611, "count": 2**40},
        "usage_days": {"account_id": account, "day": 20261121, "count_before": 7},
        "stripe_customers": {"account_id": account, "customer_id": "cus_1", "revision": 1},
        "stripe_events": {"event_id": "evt_1", "event_type": "invoice.paid", "received_at": NOW},
        "dashboard_sessions": {
            "session_id": "ses_1",
            "account_id": account,
            "digest": b"s" * 32,
            "created_at": NOW,
            "seen_at": NOW,
            "expires_at": NOW,
        },
        "watchlists": {
            "watchlist_id": "wl_1",
            "account_id": account,
            "name": "Åland",
            "companies": 1,
            "created_at": NOW,
            "updated_at": NOW,
            "revision": 2,
        },
        "watchlist_companies": {"watchlist_id": "wl_1", "company_id": "firm:SE:5599999991", "added_at": NOW},
        "secret_fingerprints": {"name": "pepper", "fingerprint": "f" * 16, "recorded_at": NOW},
        "shown_once": {"view_id": "one_1", "session_id": "ses_1", "sealed": b"\x00s", "expires_at": NOW},
        "webhook_companies": {"company_id": "firm:SE:5599999991", "subscription_id": subscription, "position": 0},
        "webhook_selectors": {
            "selector": "status.changed SE - - -",
            "least_change": 0,
            "subscription_id": subscription,
        },
        "idempotent_requests": {
            "account_id": account,
            "operation": "POST /x",
            "key": "k",
            "fingerprint": b"f" * 32,
            "created_at": NOW,
            "claimed_by": "req_1",
        },
        "mail_outbox": {
            "mail_id": "eml_1",
            "occasion": "paused:1",
            "account_id": account,
            "recipient": "a@example.com",
            "subject": "s",
            "body": "b",
            "created_at": NOW,
            "attempts": 0,
        },
    }
    with database.writing() as session:
        for name, row in rest.items():
            session.execute(insert(Base.metadata.tables[name]), [row])
    return log


def content(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, as the models read it."""
    with database.reading() as session:
        return {
            table.name: sorted(map(tuple, session.execute(select(table))), key=repr)
            for table in Base.metadata.sorted_tables
        }


def test_what_was_taken_from_one_engine_is_the_same_in_either(
    database: Database, other: Database, tmp_path: Path
) -> None:
    filled(database)
    before = content(database)
    assert all(before.values()), "a table without a row is not tried"
    path = tmp_path / "copy.sqlite"
    backup.export_copy(database, path)
    assert backup.integrity_errors(path) == []
    assert backup.copy_row_counts(path) == {name: len(rows) for name, rows in before.items()}
    assert backup.backup_fanout_cursor(path) == 1
    assert list(backup.read_sealed_secrets(path)) == [b"sealed", b"former", b"key"]
    assert {file.name for file in tmp_path.glob("copy.sqlite*")} == {"copy.sqlite"}, "one file"
    told = backup.import_copy(path, other)
    after = content(other)
    lanes = select(EndpointState.lessee, EndpointState.leased_until, EndpointState.next_due_at)
    with other.reading() as session:
        assert [row[:2] for row in session.execute(lanes)] == [(None, None)], "nobody works on it here"
        empty = "SELECT count(*) FROM webhook_replays WHERE CAST(event_types AS TEXT) = 'null'"
        assert session.execute(text(empty)).scalar_one() == 0, "no value is null in every engine"
    for name in backup.LEFT_OUT:
        assert after.pop(name) == [], name
        del before[name]
    assert told == {name: len(rows) for name, rows in before.items()}
    del before["webhook_lanes"], after["webhook_lanes"]
    assert after == before


def test_nothing_is_put_where_something_is(database: Database, tmp_path: Path) -> None:
    log = filled(database)
    path = tmp_path / "copy.sqlite"
    backup.export_copy(database, path)
    before = content(database)
    with pytest.raises(backup.DatabaseCopyError, match=r"is not empty \(.*accounts"):
        backup.import_copy(path, log.database)
    assert content(database) == before


def test_a_copy_is_one_moment_of_a_database_that_is_written_to(database: Database, tmp_path: Path) -> None:
    log = delivery_log.Log(database)
    subscription = log.subscription(log.account())
    stop, written = threading.Event(), threading.Semaphore(0)

    def write() -> None:
        """A delivery and its attempt belong together: no copy has one without the other."""
        number = 0
        while not stop.is_set():
            number += 1
            with database.writing() as session:
                row = {"subscription_id": subscription, "delivery_id": f"dlv_{number:026}", "sequence": number}
                session.execute(
                    insert(Delivery), [row | {"status": "pending", "tries": 0, "attempt_count": 0, "created_at": NOW}]
                )
                queued = {"subscription_id": subscription, "due_at": NOW, "attempt_id": f"att_{number:026}"}
                session.execute(
                    insert(QueuedAttempt), [queued | {"delivery_id": row["delivery_id"], "trigger": "schedule"}]
                )
            written.release()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            for _ in range(20):
                assert written.acquire(timeout=30), "writers go on"
            path = tmp_path / f"copy-{number}.sqlite"
            backup.export_copy(database, path)
            counts = backup.copy_row_counts(path)
            assert counts["webhook_deliveries"] == counts["webhook_queue"] >= 20 * (number + 1)
            assert backup.integrity_errors(path) == []
    finally:
        stop.set()
        writer.join()


def test_a_database_of_another_revision_is_not_copied(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0004'"))
    with pytest.raises(backup.DatabaseCopyError, match="at revision 0004, this version expects"):
        backup.export_copy(database, tmp_path / "copy.sqlite")


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[], Path]:
    """A copy of a filled SQLite database."""

    def make() -> Path:
        path = tmp_path / "copy.sqlite"
        with closing(migrate.prepare_database(f"sqlite:///{tmp_path / 'source.sqlite'}")) as source:
            filled(source)
            backup.export_copy(source, path)
        return path

    return make


def test_a_copy_of_an_earlier_revision_is_brought_up_to_date(copy: Callable[[], Path]) -> None:
    from alembic import command

    path = copy()
    with closing(Database(f"sqlite:///{path}")) as file, file.engine.begin() as connection:
        settings = migrate.alembic_config()
        settings.attributes["connection"] = connection
        command.downgrade(settings, "0003")
        assert "stripe_customers" not in inspect(connection).get_table_names()
    backup.upgrade_copy(path)
    assert backup.copy_row_counts(path)["webhook_deliveries"] == 1
    assert backup.copy_row_counts(path)["stripe_customers"] == 0


def test_a_copy_of_a_later_revision_is_refused(copy: Callable[[], Path]) -> None:
    path = copy()
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(backup.DatabaseCopyError, match="9999, which this version does not know"):
        backup.upgrade_copy(path)


def test_wiped_secrets_of_a_deleted_subscription_are_none_to_open(database: Database, tmp_path: Path) -> None:
    """Deleted for 30 days before its row goes: no backup of these days could be restored."""
    log = delivery_log.Log(database)
    account = log.account()
    log.subscription(account, secret=b"kept", credentials=b"key")
    gone = log.subscription(account, secret=b"former", previous_secret=b"older", credentials=b"key")
    database.write(delete_subscription, gone, NOW)
    path = tmp_path / "copy.sqlite"
    backup.export_copy(database, path)
    assert list(backup.read_sealed_secrets(path)) == [b"kept", b"key"]


def test_damage_is_told(copy: Callable[[], Path]) -> None:
    path = copy()
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("DELETE FROM accounts")
    assert any(": a row without its accounts" in told for told in backup.integrity_errors(path))
    path.write_bytes(path.read_bytes()[:5000])
    assert backup.integrity_errors(path)


def test_every_key_is_made_by_us(database: Database) -> None:
    """A number that an engine counts up would begin again at 1 after a restore."""
    with database.reading() as session:
        if session.connection().dialect.name == "postgresql":
            sequences = "SELECT count(*) FROM pg_class WHERE relkind = 'S'"
            assert session.execute(text(sequences)).scalar_one() == 0
    for table in Base.metadata.sorted_tables:
        own = table.autoincrement_column
        assert own is None or own.autoincrement is False or not own.primary_key, table.name
    with database.reading() as session:
        assert session.scalar(select(func.count()).select_from(Delivery)) == 0
