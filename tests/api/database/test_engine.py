"""The control-plane database: migrations equal models, transactions, secrets, settings."""

import json
import sqlite3
import stat
import threading
from dataclasses import fields
from datetime import UTC, datetime, timedelta, timezone

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlalchemy.exc import OperationalError, StatementError

from api.accounts.service import AccountService
from api.auth.api_keys import KeyRecord
from api.auth.service_secrets import SecretsError, ServiceSecrets, load_or_create
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.database.migrate import alembic_config, prepare_database, upgrade_database
from api.database.models import webhooks  # noqa: F401 -- its tables belong to Base
from api.database.models.accounts import Account, ApiKey, Usage
from api.database.models.base import Base, columns_of
from api.settings.service import ApiSettings
from warehouse.settings.errors import SettingError


@pytest.fixture
def database(control_url):
    made = prepare_database(control_url)
    yield made
    made.close()


@pytest.fixture
def sqlite(tmp_path):
    made = prepare_database(f"sqlite:///{tmp_path / 'deep' / 'control.sqlite'}")
    yield made
    made.close()


def account(**more):
    now = datetime(2026, 11, 21, 9, tzinfo=UTC)
    values = {
        "account_id": "acc_1",
        "email": "a@example.com",
        "tier": "pro",
        "status": "active",
        "created_at": now,
        "updated_at": now,
    }
    return Account(**values | more)


def key(**more):
    return {
        "key_id": "key_1",
        "account_id": "acc_1",
        "kind": "live",
        "shown_prefix": "firm_live_aaaa",
        "shown_last": "aaaa",
        "digest": b"d" * 32,
        "domains": [],
        "created_at": datetime(2026, 11, 21, 9, tzinfo=UTC),
    } | more


def test_models_equal_migrations(database):
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, Base.metadata) == []


def test_migrating_again_changes_nothing_and_down_is_possible(database):
    from alembic import command

    upgrade_database(database)
    with database.engine.begin() as connection:
        settings = alembic_config()
        settings.attributes["connection"] = connection
        command.downgrade(settings, "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]
    upgrade_database(database)
    with database.writing() as session:
        session.add(account())


def test_a_database_of_a_later_version_is_refused(database):
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    url = database.url.render_as_string(hide_password=False)
    with pytest.raises(SettingError, match=r"of a later version of this software \(revision 9999\): install"):
        prepare_database(url)


def test_two_processes_may_migrate_at_once(control_url):
    failures = []

    def run():
        try:
            prepare_database(control_url).close()
        except Exception as error:  # noqa: BLE001 -- told to the test
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_sqlite_is_in_wal_with_foreign_keys(sqlite):
    with sqlite.reading() as session:
        assert session.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert session.execute(text("PRAGMA foreign_keys")).scalar() == 1


def test_a_failed_transaction_leaves_nothing(database):
    def fail():
        with database.writing() as session:
            session.add(account())
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with database.reading() as session:
        assert session.get(Account, "acc_1") is None


def test_writers_wait_for_each_other(database):
    """Each reads before it writes: a lock taken only at the first write would fail in between."""
    clock = Clock()
    accounts = AccountService(database, b"p" * 32, clock, UlidGenerator(clock.wall))
    start, failures = threading.Barrier(8), []

    def write(number):
        start.wait(20)
        try:
            for turn in range(10):
                accounts.create_account(f"{number}.{turn}@example.com", "basic")
        except OperationalError as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with database.reading() as session:
        assert session.execute(text("SELECT count(*) FROM accounts")).scalar() == 80


def test_instants_are_kept_in_utc(database):
    east = datetime(2026, 11, 21, 12, tzinfo=timezone(timedelta(hours=3)))
    with database.writing() as session:
        session.add(account(created_at=east))
    with database.reading() as session:
        kept = session.get(Account, "acc_1")
        assert kept is not None
        assert kept.created_at == east
        assert kept.created_at.utcoffset() == timedelta(0)
    with pytest.raises(StatementError), database.writing() as session:
        session.add(account(account_id="acc_2", email="b@example.com", created_at=datetime(2026, 1, 1)))  # noqa: DTZ001


def test_downgrading_one_step_keeps_accounts(database):
    from alembic import command

    with database.writing() as session:
        session.add(account())
        session.flush()
        session.add(ApiKey(**key()))
        session.flush()
        session.add(Usage(account_id="acc_1", month=202611, count=7))
    with database.engine.begin() as connection:
        settings = alembic_config()
        settings.attributes["connection"] = connection
        command.downgrade(settings, "0001")
    upgrade_database(database)
    with database.reading() as session:
        kept = session.get(Account, "acc_1")
        assert kept is not None
        assert kept.trial_ends_at is None
        assert session.get(ApiKey, "key_1") is not None
        assert session.get(Usage, ("acc_1", 202611)) is None


def test_other_engines_by_address():
    made = Database("postgresql://localhost/firm")
    assert (made.engine.dialect.name, made.engine.dialect.driver) == ("postgresql", "psycopg")
    made.close()


def test_secrets_are_made_once_and_kept_private(tmp_path):
    path = tmp_path / "data" / "secrets.json"
    made = load_or_create(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_or_create(path) == made
    assert len(made.pepper) == 32
    assert "pepper" not in repr(made)
    assert [entry.name for entry in path.parent.iterdir()] == ["secrets.json"]


def test_secrets_by_several_starters_are_one(tmp_path):
    path, found = tmp_path / "secrets.json", []
    threads = [threading.Thread(target=lambda: found.append(load_or_create(path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(one == found[0] for one in found)


def test_secrets_may_be_given(tmp_path):
    given = {
        "FIRM_PEPPER": "cCBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHA=",
        "FIRM_CURSOR_KEYS": ",".join(["a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s="] * 2),
        "FIRM_SEALING_KEYS": "c3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3M=",
    }
    made = load_or_create(tmp_path / "secrets.json", given)
    assert len(made.cursor_keys) == 2
    assert not (tmp_path / "secrets.json").exists()
    with pytest.raises(SecretsError, match="both"):
        load_or_create(tmp_path / "secrets.json", {"FIRM_PEPPER": given["FIRM_PEPPER"]})
    with pytest.raises(SecretsError, match="FIRM_PEPPER"):
        load_or_create(tmp_path / "secrets.json", given | {"FIRM_PEPPER": "c2hvcnQ="})


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", '{"pepper": 1, "cursor_keys": [1]}', '{"pepper": "a", "cursor_keys": []}']
)
def test_a_broken_secrets_file_is_said(tmp_path, content):
    path = tmp_path / "secrets.json"
    path.write_text(content)
    with pytest.raises(SecretsError, match=r"secrets\.json"):
        load_or_create(path)
    assert path.read_text() == content


def test_members_of_the_secrets_file_that_are_not_ours_stay(tmp_path):
    path = tmp_path / "secrets.json"
    made = load_or_create(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"other": "kept"}))
    assert load_or_create(path) == made
    assert json.loads(path.read_text())["other"] == "kept"


def test_settings_come_from_names_and_are_checked(tmp_path):
    made = ApiSettings.read(
        {
            "FIRM_DATA": str(tmp_path),
            "FIRM_PORT": "9000",
            "FIRM_ACCESS_LOG": "false",
            "FIRM_PUBLIC_URL": "https://x.example/",
            "FIRM_HOST": "",
        }
    )
    assert (made.data, made.port, made.access_log, made.public_url, made.host) == (
        tmp_path,
        9000,
        False,
        "https://x.example",
        "127.0.0.1",
    )
    assert made.control_database_url == f"sqlite:///{tmp_path / 'control.sqlite'}"
    assert ApiSettings(database_url="postgresql://db/firm").control_database_url == "postgresql://db/firm"
    assert ApiSettings.read({}) == ApiSettings()
    for name, value in (
        ("FIRM_PORT", "many"),
        ("FIRM_PORT", "70000"),
        ("FIRM_ACCESS_LOG", "perhaps"),
        ("FIRM_LIST_CONCURRENCY", "0"),
    ):
        with pytest.raises(SettingError, match=name):
            ApiSettings.read({name: value})


def test_generated_secrets_differ():
    assert ServiceSecrets.generate() != ServiceSecrets.generate()


def test_a_connection_that_is_in_use_when_the_database_is_closed_is_closed_afterwards(control_url):
    database = prepare_database(control_url)
    with database.reading() as session:
        used = session.connection().connection.dbapi_connection
        database.close()
        assert session.scalar(text("SELECT 1")) == 1
    with pytest.raises((sqlite3.ProgrammingError, psycopg.OperationalError), match="closed"):
        used.execute("SELECT 1")


def test_columns_of_a_record_come_in_its_order_from_the_first_table_that_has_them():
    columns = columns_of(KeyRecord, ApiKey, Account, computed=("account_status", "month", "used"))
    assert [column.key for column in columns] == [one.name for one in fields(KeyRecord)][:-3]
    assert columns[1].class_ is ApiKey  # both tables have `account_id`
    assert columns[-1].class_ is Account
    with pytest.raises(ValueError, match="no table has account_status of KeyRecord"):
        columns_of(KeyRecord, ApiKey, Account)
