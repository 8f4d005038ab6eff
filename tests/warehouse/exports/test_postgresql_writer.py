"""The tables of a PostgreSQL schema are the release, whole, whatever happens."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.warehouse.handed import HOSTILE, hostile_world
from tests.warehouse.helpers import killed_at
from tests.warehouse.lakehouse import Frames, members, next_day, postgres_frames, release_frames
from tests.warehouse.world import learn, owner, period, publish
from warehouse.exports.merged.results import MergeRefusedError
from warehouse.exports.merged.tables import MERGED
from warehouse.exports.postgresql.writer import PostgresExportError, PostgresWriter
from warehouse.storage.atomic_files import ignore_step
from warehouse.storage.layout import Layout

pytestmark = pytest.mark.slow
MakeDatabase = Callable[..., str]


@pytest.fixture
def url(postgresql: MakeDatabase) -> str:
    return postgresql()


@pytest.fixture(scope="module")
def stored_market(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = Layout(tmp_path_factory.mktemp("stored") / "data")
    companies = members(*range(1, 11))
    accounts = [period(one["company_id"], 2024, filing_id=f"fil_{one['org_number']}") for one in companies]
    learn(
        layout, "NO", 0, companies=companies, financials=accounts, owners=[owner(companies[0]["company_id"], "own_a")]
    )
    learn(layout, "SE", 0, companies=[{**members(1)[0], "company_id": "firm:SE:900000001", "country": "SE"}])
    publish(layout, "NO", "SE")
    return layout


@pytest.fixture
def market(stored_market: Layout, layout: Layout) -> Layout:
    """The same of the test's own."""
    shutil.copytree(stored_market.root, layout.root)
    return layout


def change_one_day(layout: Layout, at: int) -> None:
    next_day(layout, at, companies=[*members(*range(3, 11)), *members(1, name=f"Ny {at}"), *members(40)])


def assert_is(url: str, expected: Frames) -> None:
    found = postgres_frames(url)
    for table in MERGED:
        places = [table.names.index(name) for name in table.key]
        rows = [tuple(_shown(value) for value in row) for row in expected[table.name].rows()]
        held, wanted = (
            {tuple(row[place] for place in places): row for row in given} for given in (found[table.name], rows)
        )
        assert held == wanted, table.name
        assert len(found[table.name]) == len(rows)


def _shown(value: Any) -> Any:
    """A value as PostgreSQL gives it back: without U+0000."""
    if isinstance(value, list):
        return [_shown(one) for one in value]
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def write(layout: Layout, url: str, **given: Any) -> Any:
    return PostgresWriter(layout, url).write(**given)


def test_first_export_holds_every_hostile_value(layout: Layout, url: str) -> None:
    hostile_world(layout)
    long = "Ø" * 1_000_000
    next_day(layout, 3, companies=[*members(1, name=HOSTILE[3]), *members(2, name=long, previous_names=HOSTILE)])
    made = write(layout, url)
    assert (made.release, made.is_new) == (4, True)
    assert_is(url, release_frames(layout))
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT name FROM firmdata.companies WHERE name LIKE '%nul'").fetchone() == (
            "\u2028\u202eevil\ufffdnul",
        )
        [(data,)] = connection.execute("SELECT data::text FROM firmdata.events LIMIT 1").fetchall()
    assert list(json.loads(data))[:3] == ["company_id", "name", "occurred_at"]


def test_a_day_is_merged_and_the_same_release_does_nothing(market: Layout, url: str) -> None:
    write(market, url)
    change_one_day(market, 1)
    made = write(market, url)
    assert {one.table: one.written for one in made.tables}["companies"] == 2
    assert_is(url, release_frames(market))
    assert not write(market, url).is_new
    next_day(market, 2, companies=[], financials=[], owners=[])
    write(market, url)
    assert_is(url, release_frames(market))
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT release, last_sequence FROM firmdata.release").fetchall() == [(3, 2)]


def test_readers_see_whole_releases_only(market: Layout, url: str) -> None:
    former = release_frames(market)
    write(market, url)
    change_one_day(market, 1)
    seen: list[str] = []

    def read_meanwhile(step: str) -> None:
        assert_is(url, former)
        seen.append(step)

    PostgresWriter(market, url, on_step=read_meanwhile).write()
    assert len(seen) == len(MERGED) + 1
    assert_is(url, release_frames(market))


def _write_in_process(root: Path, url: str, on_step: Any = ignore_step) -> None:
    PostgresWriter(Layout(root), url, on_step=on_step).write()


def test_killed_in_the_middle_the_former_release_stays_and_the_next_run_completes(market: Layout, url: str) -> None:
    former = release_frames(market)
    write(market, url)
    change_one_day(market, 1)
    for step in (3, len(MERGED) + 1):
        assert killed_at(partial(_write_in_process, market.root, url), step)
        assert_is(url, former)
    write(market, url)
    assert_is(url, release_frames(market))


def test_two_exports_wait_for_each_other(market: Layout, url: str) -> None:
    others = [threading.Thread(target=write, args=(market, url)) for _ in range(2)]
    started: list[threading.Thread] = []

    def start_others(step: str) -> None:
        if step == "companies merged":
            for one in others:
                one.start()
                started.append(one)

    PostgresWriter(market, url, on_step=start_others).write()
    for one in started:
        one.join()
    assert len(started) == 2
    assert_is(url, release_frames(market))


def test_an_older_release_is_refused(market: Layout, url: str, tmp_path: Path) -> None:
    change_one_day(market, 1)
    write(market, url)
    other = Layout(tmp_path / "other")
    learn(other, "NO", 0, companies=members(1))
    publish(other, "NO")
    with pytest.raises(MergeRefusedError, match="PostgreSQL schema firmdata has release 2, which is newer than 1"):
        write(other, url)
    assert_is(url, release_frames(market))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("ALTER TABLE firmdata.companies ALTER COLUMN name TYPE bytea USING ''", "has name as bytea, and the data dic"),
        ("ALTER TABLE firmdata.companies DROP COLUMN company_id", "company_id as no column"),
        ("DELETE FROM firmdata.companies WHERE company_id LIKE '%5'", "comes to 10 rows and not 11, so somebody"),
    ],
)
def test_tables_changed_by_hand_are_refused(market: Layout, url: str, change: str, said: str) -> None:
    write(market, url)
    with psycopg.connect(url) as connection:
        connection.execute(change)  # type: ignore[arg-type]
    change_one_day(market, 1)
    with pytest.raises(MergeRefusedError, match=said):
        write(market, url)


def test_rows_that_are_gone_are_told_also_where_the_release_is_there(market: Layout, url: str) -> None:
    write(market, url)
    with psycopg.connect(url) as connection:
        connection.execute("TRUNCATE firmdata.owners")
    with pytest.raises(
        MergeRefusedError, match=r"firmdata\.owners comes to 0 rows and not \d+, so somebody has changed rows"
    ):
        write(market, url)
    write(market, url, rewrite=True)
    assert write(market, url).is_new is False
    assert_is(url, release_frames(market))


def test_a_rewrite_mends_rows_and_new_columns_are_added(market: Layout, url: str) -> None:
    write(market, url)
    with psycopg.connect(url) as connection:
        connection.execute("DELETE FROM firmdata.companies WHERE company_id LIKE '%5'")
        connection.execute("ALTER TABLE firmdata.financials DROP COLUMN revenue")
        connection.execute("ALTER TABLE firmdata.companies ADD COLUMN mine text")
    write(market, url, rewrite=True)
    assert_is(url, release_frames(market))


def test_errors_are_clear_and_never_show_the_password(market: Layout, url: str, postgresql: MakeDatabase) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE reader LOGIN PASSWORD 'hidden'")
    as_reader = psycopg.conninfo.make_conninfo(url, user="reader", password="hidden")
    parts = psycopg.conninfo.conninfo_to_dict(as_reader)
    reader = f"postgresql://reader:hidden@/{parts['dbname']}?host={parts['host']}"
    cases = {
        reader: "permission denied for database",
        "postgresql://u:hidden@127.0.0.1:1/x": "Connection refused",
        "postgresql://u:hid%zzden@host/x": "not an address that PostgreSQL can read",
        "mysql://u:hidden@host/x": "must be postgresql://user@host/database",
    }
    for given, said in cases.items():
        with pytest.raises(PostgresExportError) as error:
            write(market, given)
        assert said in str(error.value)
        assert "hid" not in str(error.value)
