"""Counts in the control-plane database: several processes at once, accounts and connections that are gone."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import event

from api.accounts.service import AccountService
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.migrate import prepare_database
from api.usage.repository import DatabaseUsageStore

ROOT = Path(__file__).parents[3]

_CHILD = """
import sys
from api.common.clock import Clock
from api.usage.repository import DatabaseUsageStore
from api.database.engine import Database
counts = DatabaseUsageStore(Database(sys.argv[1]), Clock().today)
print("ready", flush=True)
sys.stdin.readline()
accounts = sys.argv[2].split(",")
for turn in range(100):
    rows = sorted((account, 202611, 1 + turn % 3) for account in accounts)
    totals = counts.add(rows)
    assert len(totals) == len(rows)
counts.close()
"""


@pytest.mark.slow
@pytest.mark.slow
def test_processes_that_store_at_once_lose_nothing(control_url):
    """Three processes, a hundred writes each of the same rows: none lost, none locked in a circle."""
    database, clock = prepare_database(control_url), Clock()
    accounts = AccountService(database, b"p" * 32, clock, UlidGenerator(clock.wall))
    made = [accounts.create_account(f"{name}@example.com", "basic").account_id for name in "abc"]
    command = [sys.executable, "-c", _CHILD, control_url, ",".join(made)]
    children = [
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
        assert child.returncode == 0
    each = sum(1 + turn % 3 for turn in range(100))
    assert [accounts.used(account_id, 202611) for account_id in made] == [3 * each] * 3
    database.close()


def test_counts_of_accounts_that_are_gone_stop_nobody(control_url):
    database, clock = prepare_database(control_url), Clock()
    account = AccountService(database, b"p" * 32, clock, UlidGenerator(clock.wall)).create_account(
        "a@example.com", "basic"
    )
    counts = DatabaseUsageStore(database, clock.today)
    rows = [(account.account_id, 202611, 2), ("acc_gone", 202611, 3)]
    assert counts.add(rows) == [(account.account_id, 202611, 2)]
    assert counts.add(rows) == [(account.account_id, 202611, 4)]
    counts.close()
    database.close()


def test_rows_of_one_account_are_added_up_first(control_url):
    """As after its meter was made anew; refused, they would keep all other counts from being stored."""
    database, clock = prepare_database(control_url), Clock()
    account = AccountService(database, b"p" * 32, clock, UlidGenerator(clock.wall)).create_account(
        "a@example.com", "basic"
    )
    counts = DatabaseUsageStore(database, clock.today)
    rows = [(account.account_id, 202611, 2), (account.account_id, 202611, 3)]
    assert counts.add(rows) == [(account.account_id, 202611, 5)]
    assert counts.add(rows) == [(account.account_id, 202611, 10)]
    counts.close()
    database.close()


def test_at_once_means_without_waiting_for_anybody(control_url):
    database, clock = prepare_database(control_url), Clock()
    made = AccountService(database, b"p" * 32, clock, UlidGenerator(clock.wall)).create_account(
        "a@example.com", "basic"
    )
    counts, rows = DatabaseUsageStore(database, clock.today), [(made.account_id, 202611, 2)]
    is_near = control_url.startswith("sqlite")
    assert counts.add_at_once(rows) == ([(made.account_id, 202611, 2)] if is_near else None)
    with database.writing() as session:
        session.connection()  # takes SQLite's lock
        assert counts.add_at_once(rows) is None
    assert counts.add(rows) == [(made.account_id, 202611, 4 if is_near else 2)]
    counts.close()
    assert counts.add_at_once(rows) == ([(made.account_id, 202611, 6)] if is_near else None)
    counts.close()
    database.close()


def test_a_connection_that_broke_is_replaced(control_url):
    database, clock = prepare_database(control_url), Clock()
    account = AccountService(database, b"p" * 32, clock, UlidGenerator(clock.wall)).create_account(
        "a@example.com", "basic"
    )
    counts = DatabaseUsageStore(database, clock.today)
    held = []
    event.listen(database.engine, "checkout", lambda connection, *_: held.append(connection))
    counts.add([(account.account_id, 202611, 1)])
    held[-1].close()
    with pytest.raises(Exception, match="clos"):
        counts.add([(account.account_id, 202611, 1)])
    assert counts.add([(account.account_id, 202611, 1)]) == [(account.account_id, 202611, 2)]
    counts.close()
    database.close()
