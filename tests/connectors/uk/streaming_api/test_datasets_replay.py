"""Events of streams replayed, twice, shuffled and cut: the state equals one clean replay.

See docs/formats/uk.md 7, 13.7.
"""

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

from connectors.contract.dataset import ArchiveMember, Dataset, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.uk import UNITED_KINGDOM, mapping
from connectors.uk.psc import dataset as psc_dataset
from connectors.uk.psc.schema import PSC
from connectors.uk.streaming_api import datasets
from warehouse.history import current_records

AT = datetime(2026, 11, 20, tzinfo=UTC)
RUN = AT.date()
FILES = {
    "companies.jsonl": datasets.PROFILE_STREAM,
    "filings.jsonl": datasets.FILING_STREAM,
    "insolvency-cases.jsonl": datasets.INSOLVENCY_STREAM,
    "persons-with-significant-control.jsonl": psc_dataset.DATASET,
    "company-exemptions.jsonl": psc_dataset.DATASET,
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
            found.setdefault(datasets.PROFILE_STREAM.key, []).append(
                line("company-profile", uri, 100 + step * 10 + number, profile, change)
            )
            filing = {"category": "accounts", "type": "AA", "date": f"2026-01-0{step + 1}", "transaction_id": "T1"}
            found.setdefault(datasets.FILING_STREAM.key, []).append(
                line("filing-history", f"{uri}/filing-history/T1", 900 + step * 10 + number, filing, change)
            )
            cases = {"cases": [{"type": "in-administration", "number": str(step), "dates": []}]}
            found.setdefault(datasets.INSOLVENCY_STREAM.key, []).append(
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
    tables = {name: table for data in FILES.values() for name, table in data.staged_tables.items()}
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA present; SET TimeZone = 'UTC'")
        for rows_by_table in _batches(list(bodies), together):
            for name, frames in rows_by_table.items():
                current_records.upsert_records(connection, tables[name], pl.concat(frames))
        rows = current_records.records_of_companies(connection, tables.values(), None)
    shared = mapping.map_registers(rows, RUN)
    found = {name: frame.collect() for name, frame in rows.items()} | dict(shared)
    instants = ("_observed_at", "observed_at", "_raw", "raw", "sources")
    return {name: sorted(map(repr, frame.drop(instants, strict=False).iter_rows())) for name, frame in found.items()}


def _batches(bodies: list[tuple[str, bytes]], together: int) -> Iterator[dict[str, list[pl.DataFrame]]]:
    """Rows by table of so many bodies at a time, each body with an instant of its own."""
    for start in range(0, len(bodies), together):
        found: dict[str, list[pl.DataFrame]] = {}
        for count, (key, body) in enumerate(bodies[start : start + together], start):
            at = pl.lit(AT + timedelta(minutes=count)).cast(pl.Datetime("us", "UTC"))
            for batch in READERS[key].read_batches(_piece(READERS[key], body)):
                company = UNITED_KINGDOM.company_ids_of_rows(batch.table, batch.rows).alias("_company_id")
                meta = (company, at.alias("_observed_at"), pl.lit("raw").alias("_raw"))
                found.setdefault(batch.table, []).append(batch.rows.with_columns(*meta))
        yield found


def _piece(dataset: Dataset, body: bytes) -> ArchiveMember:
    assert dataset.redact is not None
    body = dataset.redact(io.BytesIO(body)).read()
    name = hashlib.sha256(body).hexdigest()
    return ArchiveMember(dataset.key, f"{name}.jsonl", name, AT, Scope.FEED, "batch", lambda: io.BytesIO(body))


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


@pytest.mark.slow
def test_genuine_events_shuffled_doubled_and_cut_give_the_state_of_a_clean_replay(sources):
    events = genuine_events(sources)
    clean_state = clean(events)
    assert {name: len(rows) for name, rows in clean_state.items() if name.startswith("uk_")} == {
        "uk_profiles": 24,
        "uk_filing_history": 3,
        "uk_insolvency": 10,
        "uk_psc": len({json.loads(line)["resource_uri"] for line in events[psc_dataset.KEY][:-1]}),
        "uk_psc_statements": 0,
        "uk_exemptions": 1,
        "uk_psc_totals": 0,
        "uk_psc_others": 0,
    }
    assert state(shaken(events, random.Random(7))) == clean_state


def test_the_streams_that_are_not_read_say_why(sources):
    for name in ("charges.jsonl", "officers.jsonl", "disqualified_officers_2022_event.json"):
        found = psc_dataset.recognise_file(f"streaming/{name}", (sources / "uk/streaming" / name).read_bytes()[:65536])
        assert isinstance(found, NotApplicable)
        assert found.reason.split(":")[0] in {"charges", "officers", "disqualified officers"}


@pytest.mark.parametrize("dataset", [datasets.PROFILE_STREAM, datasets.FILING_STREAM, datasets.INSOLVENCY_STREAM])
def test_first_event_without_a_company_is_a_reject_and_hides_no_other(dataset: Dataset) -> None:
    events = made_events()[dataset.key][:3]
    odd = json.loads(events[0])
    odd |= {"resource_uri": odd["resource_uri"].replace("/company/00000001", "/company/UNKNOWN-NUMBER")}
    body = b"\n".join([json.dumps(odd | {"data": odd["data"] | {"company_number": None}}).encode(), *events])
    assert isinstance(dataset.recognise_file("streaming/day.jsonl", body), RecognisedFile)
    piece = ArchiveMember(dataset.key, "streaming/day.jsonl", "0" * 64, AT, Scope.FEED, "1", lambda: io.BytesIO(body))
    batches = list(dataset.read_batches(piece))
    assert (sum(batch.rejects.height for batch in batches), sum(batch.rows.height for batch in batches)) == (1, 3)
    alone = body.partition(b"\n")[0]
    assert isinstance(dataset.recognise_file("streaming/day.jsonl", alone), NotApplicable)


def of_holder(
    timepoint_: int | None, name: str, at: datetime, published: datetime | None = None, identity: str = "a"
) -> pl.DataFrame:
    row = {
        "company_number": "01234567",
        "id": identity,
        "name": name,
        "natures_of_control": [],
        "deleted": False,
        "timepoint": timepoint_,
        "published_at": published,
    }
    return staging.make_batch(PSC, [row]).rows.with_columns(
        pl.lit("firm:UK:01234567").alias("_company_id"),
        pl.lit(at).cast(pl.Datetime("us", "UTC")).alias("_observed_at"),
        pl.lit("raw").alias("_raw"),
    )


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("CREATE SCHEMA present; SET TimeZone = 'UTC'")
        yield opened


def names(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Names of holders that no snapshot has retired, by id."""
    rows = (
        current_records.records_of_companies(connection, [PSC], None)[PSC.name]
        .filter(pl.col("_retired_at").is_null())
        .collect()
    )
    return dict(zip(rows["id"], rows["name"], strict=True))


def hour(hours: float) -> datetime:
    return AT + timedelta(hours=hours)


TOLD = [
    (9, 9, 10, "stream"),  # the snapshot of a day is made up at night and fetched at noon
    (9, 9, 30, "snapshot"),  # the next day's decides, of what the stream missed too
    (-30, 9, 10, "snapshot"),  # a reader that was away for a day took it in behind time
    (None, 9, 10, "stream"),  # it does not say: as old as it came
    (99, 9, 30, "snapshot"),  # nothing is told after it came
]
BEHIND = [(*case, False) for case in TOLD if case[0] not in (None, 99)]  # those are as new as when they come


@pytest.mark.parametrize(
    ("published", "taken", "fetched", "holds", "stream_comes_first"), [*((*case, True) for case in TOLD), *BEHIND]
)
def test_of_stream_and_snapshot_the_one_told_later_holds(
    connection, published, taken, fetched, holds, stream_comes_first
):
    told = None if published is None else hour(published)
    if stream_comes_first:
        current_records.upsert_records(connection, PSC, of_holder(5, "stream", hour(taken), told))
        current_records.upsert_records(connection, PSC, of_holder(None, "snapshot", hour(fetched)))
    else:
        current_records.upsert_records(connection, PSC, of_holder(None, "snapshot", hour(fetched)))
        current_records.upsert_records(connection, PSC, of_holder(5, "stream", hour(fetched + 1), told))
    assert names(connection) == {"a": holds}


@pytest.mark.parametrize(
    ("published", "taken", "fetched", "left"),
    [(9, 9, 10, {"a": "stream"}), (9, 9, 30, {}), (-30, 9, 10, {}), (None, 9, 10, {"a": "stream"})],
)
def test_absence_does_not_go_back_behind_what_was_told_since(connection, published, taken, fetched, left):
    told = None if published is None else hour(published)
    current_records.upsert_records(connection, PSC, of_holder(5, "stream", hour(taken), told))
    others = of_holder(None, "x", hour(fetched), identity="b")
    missed = current_records.missing_records(connection, PSC, others, hour(fetched))
    current_records.soft_delete(connection, PSC, others, hour(fetched))
    assert names(connection) == left
    assert missed["id"].to_list() == ([] if left else ["a"])
    assert missed["_retired_at"].to_list() == ([] if left else [hour(fetched)])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow
def test_after_streams_and_a_snapshot_the_state_is_that_of_the_snapshot_alone(connection, seed):
    """Whatever the streams told, missed or repeat: a gap is mended, and nothing goes back behind it."""
    chance = random.Random(seed)
    events = [
        of_holder(point, f"{point}", hour(point / 10), hour(point / 10), identity=chance.choice("abcdef"))
        for point in range(1, 60)
    ]
    received = chance.sample(events, 40)  # the others never were
    for frame in received:
        current_records.upsert_records(connection, PSC, frame)
    whole = pl.concat(of_holder(None, f"whole {one}", hour(34), identity=one) for one in "bcdg")
    changed = current_records.upsert_records(connection, PSC, whole)
    gone = current_records.soft_delete(connection, PSC, whole, hour(34))
    assert len(changed) + len(gone) > 0
    for frame in chance.sample(received, 20):  # a reader that goes on from an older place
        moved = frame.with_columns(_observed_at=pl.lit(hour(35)).cast(pl.Datetime("us", "UTC")))
        current_records.upsert_records(connection, PSC, moved)
    assert names(connection) == {one: f"whole {one}" for one in "bcdg"}
