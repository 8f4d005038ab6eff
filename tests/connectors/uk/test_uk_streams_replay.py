"""Events of streams replayed, twice, shuffled and cut: the state equals one clean replay (FORMAT uk 7, 13.7)."""

import hashlib
import io
import json
import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest

from connectors.declare import Dataset, NotOurs, Piece, Scope
from connectors.kit import staged
from connectors.uk import live, mapping, psc
from connectors.uk.psc_schema import PSC
from warehouse import present

AT = datetime(2026, 11, 20, tzinfo=UTC)
RUN = AT.date()
FILES = {
    "companies.jsonl": live.PROFILE_STREAM,
    "filings.jsonl": live.FILING_STREAM,
    "insolvency-cases.jsonl": live.INSOLVENCY_STREAM,
    "persons-with-significant-control.jsonl": psc.DATASET,
    "company-exemptions.jsonl": psc.DATASET,
}

READERS = {dataset.key: dataset for dataset in FILES.values()}


def made_events() -> dict[str, list[bytes]]:
    """Histories with repetitions, changes back and forth, deletions and returns, in timepoint order."""

    def line(kind: str, uri: str, timepoint: int, data: object, change: str = "changed") -> bytes:
        event = {"timepoint": timepoint, "published_at": "2026-11-20T12:00:00", "type": change}
        body = {"resource_kind": kind, "resource_uri": uri, "resource_id": "x", "data": data, "event": event}
        return json.dumps(body).encode()

    found: dict[str, list[bytes]] = {}
    statuses = ["active", "liquidation", "active", "dissolved"]
    for number in range(1, 7):
        uri = f"/company/0000000{number}"
        for step in range(4):
            profile = {
                "company_name": f"FIRM {number}",
                "company_number": f"0000000{number}",
                "company_status": statuses[(number + step) % 4],
                "type": "ltd",
            }
            change = "deleted" if (number, step) == (5, 3) else "changed"
            found.setdefault(live.PROFILE_STREAM.key, []).append(
                line("company-profile", uri, 100 + step * 10 + number, profile, change)
            )
            filing = {
                "category": "accounts",
                "type": "AA",
                "date": f"2026-01-0{step + 1}",
                "transaction_id": "T1",
            }
            found.setdefault(live.FILING_STREAM.key, []).append(
                line("filing-history", f"{uri}/filing-history/T1", 900 + step * 10 + number, filing, change)
            )
            cases = {"cases": [{"type": "in-administration", "number": str(step), "dates": []}]}
            found.setdefault(live.INSOLVENCY_STREAM.key, []).append(
                line("company-insolvency", f"{uri}/insolvency", 10 + step * 10 + number, cases)
            )
    return {dataset: sorted(lines, key=timepoint) for dataset, lines in found.items()}


def timepoint(line: bytes) -> int:
    return json.loads(line)["event"]["timepoint"]


def genuine_events(sources: Path) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = {}
    for name, dataset in FILES.items():
        lines = (sources / "uk/streaming" / name).read_bytes().splitlines()
        found.setdefault(dataset.key, []).extend(line for line in lines if line.strip())
    return found


def state(bodies: Iterable[tuple[str, bytes]], together: int = 1) -> dict[str, list[str]]:
    """What is present, and what companies look like, after these bodies, some together in each batch."""
    tables = {name: table for data in FILES.values() for name, table in data.staged.items()}
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA present; SET TimeZone = 'UTC'")
        for rows_by_table in _batches(list(bodies), together):
            for name, frames in rows_by_table.items():
                present.upsert(connection, tables[name], pl.concat(frames))
        rows = present.rows_of(connection, tables.values(), None)
    shared = mapping.normalise(rows, RUN)
    found = {name: frame.collect() for name, frame in rows.items()} | dict(shared)
    instants = ("_observed_at", "observed_at", "_raw", "raw", "sources")
    return {
        name: sorted(map(repr, frame.drop(instants, strict=False).iter_rows()))
        for name, frame in found.items()
    }


def _batches(bodies: list[tuple[str, bytes]], together: int) -> Iterator[dict[str, list[pl.DataFrame]]]:
    """Rows by table of so many bodies at a time, each body with an instant of its own."""
    for start in range(0, len(bodies), together):
        found: dict[str, list[pl.DataFrame]] = {}
        for count, (key, body) in enumerate(bodies[start : start + together], start):
            at = pl.lit(AT + timedelta(minutes=count)).cast(pl.Datetime("us", "UTC"))
            for batch in READERS[key].read(_piece(READERS[key], body)):
                company = mapping.touches(batch.table, batch.rows).alias("_company_id")
                meta = (company, at.alias("_observed_at"), pl.lit("raw").alias("_raw"))
                found.setdefault(batch.table, []).append(batch.rows.with_columns(*meta))
        yield found


def _piece(dataset: Dataset, body: bytes) -> Piece:
    assert dataset.redact is not None
    body = dataset.redact(io.BytesIO(body)).read()
    name = hashlib.sha256(body).hexdigest()
    return Piece(dataset.key, f"{name}.jsonl", name, AT, Scope.FEED, "batch", lambda: io.BytesIO(body))


def clean(events: dict[str, list[bytes]]) -> dict[str, list[str]]:
    return state((dataset, b"\n".join(lines)) for dataset, lines in events.items())


def shaken(events: dict[str, list[bytes]], chance: random.Random) -> Iterable[tuple[str, bytes]]:
    """Every event at least once, some twice, in any order, in bodies of any length, with heartbeats."""
    bodies: list[tuple[str, bytes]] = []
    for dataset, lines in events.items():
        mixed = [*lines, *chance.sample(lines, k=len(lines) // 2)]
        chance.shuffle(mixed)
        while mixed:
            size = chance.randint(1, 9)
            bodies.append((dataset, b"\n\n".join(mixed[:size])))
            mixed = mixed[size:]
    chance.shuffle(bodies)
    return bodies


@pytest.fixture(scope="module")
def replayed() -> dict[str, list[str]]:
    return clean(made_events())


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_doubled_and_cut_events_give_the_state_of_a_clean_replay(replayed, seed):
    assert state(shaken(made_events(), random.Random(seed)), together=1 + 2 * seed) == replayed


def test_a_second_replay_changes_nothing(replayed):
    events = [(dataset, b"\n".join(lines)) for dataset, lines in made_events().items()]
    assert state([*events, *events]) == replayed


def test_the_newest_event_of_each_company_is_its_state(replayed):
    companies = "\n".join(map(str, replayed["companies"]))
    assert companies.count("'dissolved'") >= 1
    assert "FIRM 5" not in companies  # its last event says that it was removed
    assert len(replayed["uk_profiles"]) == 6


def test_genuine_events_shuffled_doubled_and_cut_give_the_state_of_a_clean_replay(sources):
    events = genuine_events(sources)
    clean_state = clean(events)
    assert {name: len(rows) for name, rows in clean_state.items() if name.startswith("uk_")} == {
        "uk_profiles": 24,
        "uk_filing_history": 3,
        "uk_insolvency": 10,
        "uk_psc": len({json.loads(line)["resource_uri"] for line in events[psc.KEY][:-1]}),
        "uk_psc_statements": 0,
        "uk_exemptions": 1,
        "uk_psc_totals": 0,
        "uk_psc_others": 0,
    }
    assert state(shaken(events, random.Random(7))) == clean_state


def test_the_streams_that_are_not_read_say_why(sources):
    for name in ("charges.jsonl", "officers.jsonl", "disqualified_officers_2022_event.json"):
        found = psc.recognise(f"streaming/{name}", (sources / "uk/streaming" / name).read_bytes()[:65536])
        assert isinstance(found, NotOurs)
        assert found.reason.split(":")[0] in {"charges", "officers", "disqualified officers"}


def of_holder(timepoint_: int | None, name: str, at: datetime) -> pl.DataFrame:
    row = {
        "company_number": "01234567",
        "id": "a",
        "name": name,
        "natures_of_control": [],
        "deleted": False,
        "timepoint": timepoint_,
    }
    return staged.batch(PSC, [row]).rows.with_columns(
        pl.lit("firm:UK:01234567").alias("_company_id"),
        pl.lit(at).cast(pl.Datetime("us", "UTC")).alias("_observed_at"),
        pl.lit("raw").alias("_raw"),
    )


@pytest.mark.parametrize(("hours", "name", "is_retired"), [(10, "new", False), (30, "old", True)])
def test_a_snapshot_does_not_go_back_behind_the_stream_of_its_own_day(hours, name, is_retired):
    """It is made up at night and fetched at noon; the next day's decides, of what the stream missed too."""
    fetched = AT + timedelta(hours=hours)
    for lacks in (False, True):
        with duckdb.connect() as connection:
            connection.execute("CREATE SCHEMA present; SET TimeZone = 'UTC'")
            present.upsert(connection, PSC, of_holder(5, "new", AT + timedelta(hours=9)))
            if lacks:
                present.retire(connection, PSC, of_holder(5, "new", AT).with_columns(id=pl.lit("b")), fetched)
            else:
                present.upsert(connection, PSC, of_holder(None, "old", fetched))
            row = present.rows_of(connection, [PSC], None)[PSC.name].collect().row(0, named=True)
        assert (row["_retired_at"] is not None) == (lacks and is_retired)
        assert row["name"] == ("new" if lacks else name)
