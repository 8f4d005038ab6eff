"""Files, answers and rows dated in the future: kept out by name, so that genuine data after them still makes events."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from connectors.contract.dataset import ArchiveMember, Batch, Cursor, Dataset, FetchedFile, Scope
from connectors.kit import staging
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import DONE, HELD, NOTHING, IngestReport
from pipelines.sources.source import LiveSource
from tests.pipelines.invented import ACCOUNTS, MARKET, records_of
from tests.pipelines.places import ONE, THREE, TWO, Place, accounts
from warehouse.release import run_log
from warehouse.schema.types import Column, ColumnKind

OPEN, ASLEEP = (ONE, "Yksi Oy", "open", ""), (ONE, "Yksi Oy", "asleep", "")
OTHER = (TWO, "Kaksi Oy", "open", "")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.slow
def test_ingest_file_named_in_the_future_is_quarantined_and_later_events_are_made(place: Place) -> None:
    place.register(OPEN, OTHER, name="register-2026-03-01.csv")
    place.ingest()
    wrong = place.register(ASLEEP, OTHER, name="register-2062-03-02.csv")
    report = place.ingest()
    assert (report.exit_code, report.release, dict(report.events)) == (NOTHING, None, {})
    [held] = report.held
    assert (held.dataset, held.guard, held.allowed) == ("fi.register", "future", None)
    assert str(held.seen).startswith("fi/register/register-2062-03-02.csv: dated 2062-03-02T00:00:00Z, in the future")
    told = {Path(file.path).name: file.reason for file in report.files}
    assert "correct the date" in (told["register-2062-03-02.csv"] or "")
    assert told["register-2026-03-01.csv"] == "unchanged"
    assert run_log.read_run_log(place.settings.layout)[0].outcome == "held"
    wrong.rename(wrong.with_name("register-2026-03-02.csv"))
    assert dict(place.ingest().events) == {"status.changed": 1}


@pytest.mark.slow
def test_ingest_day_in_the_future_is_quarantined_and_corrected_day_is_read(place: Place) -> None:
    place.register(OPEN, OTHER)
    place.records("accounts/a1.json", accounts("a1", ONE, 2024, 100))
    place.write("day.json", json.dumps({"date": "2062-03-02"}))
    report = place.ingest()
    assert (report.exit_code, [held.dataset for held in report.held]) == (NOTHING, ["fi.register", "fi.accounts"])
    place.write("day.json", json.dumps({"date": "2026-03-02"}))
    assert place.ingest().exit_code == DONE
    place.write("day.json", json.dumps({"date": "2026-03-03"}))
    place.register(ASLEEP, OTHER)
    assert dict(place.ingest().events) == {"status.changed": 1}


@pytest.mark.slow
def test_ingest_complete_set_without_its_refused_file_retires_nothing(place: Place) -> None:
    companies = [(f"200000{number}-0", "Oy", "open", "") for number in range(8)]
    place.write("day.json", json.dumps({"date": "2026-03-01", "complete": ["fi.register"]}))
    place.register(*companies[:6], name="a.csv")
    first = place.register(*companies[6:], name="b.csv")
    assert place.ingest().exit_code == DONE
    place.write("day.json", json.dumps({"date": "2026-03-02", "complete": ["fi.register"]}))
    place.register((companies[0][0], "Oy", "asleep", ""), *companies[1:6], name="a.csv")
    wrong = first.rename(first.with_name("b-2062-03-02.csv"))
    report = place.ingest()
    assert (report.exit_code, dict(report.events)) == (HELD, {"status.changed": 1}), "as a part, not as all there is"
    wrong.rename(first)
    assert (place.ingest().exit_code, dict(place.ingest().events)) == (DONE, {})


@pytest.mark.slow
def test_ingest_file_of_tomorrow_is_read(place: Place) -> None:
    """Somewhere the day has begun."""
    place.register(OPEN, OTHER, name=f"register-{place.now.replace(day=3):%Y-%m-%d}.csv")
    assert (place.now.day, place.ingest().exit_code) == (1, DONE)


def test_ingest_late_file_is_counted_in_report_and_run_log(place: Place) -> None:
    place.register(OPEN, OTHER, name="register-2026-03-01.csv")
    assert place.ingest().late == {}
    place.register(ASLEEP, OTHER, name="register-2025-01-01.csv")
    place.register(ASLEEP, OTHER, name="register-2025-01-02.csv")
    report = place.ingest()
    assert (dict(report.events), report.late, report.as_json()["late"]) == ({}, {"fi.register": 2}, {"fi.register": 2})
    assert run_log.read_run_log(place.settings.layout)[0].late == {"fi.register": 2}
    assert any("2 late-arriving files, not newer than 2026-03-01" in line for line in place.lines)


@dataclass
class Registry:
    """Plays a register that publishes dated files; the cursor is the date of the last one."""

    files: dict[str, str] = field(default_factory=dict)

    def fetch(self, http: Any, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        for day, text in sorted(self.files.items()):
            if cursor is None or day > cursor.value:
                body = io.BytesIO(text.encode())
                at = datetime.fromisoformat(f"{day}T00:00:00+00:00")
                yield FetchedFile(f"register-{day}.csv", body, Scope.FULL, at, Cursor(day))

    def run(self, place: Place) -> IngestReport:
        place.now = place.now.replace(day=place.now.day + 1)
        register, *others = MARKET.datasets
        market = replace(MARKET, datasets=(replace(register, fetch=self.fetch), *others))
        overrides = IngestOverrides(jurisdictions=(market,), clock=place.clock)
        live: Any = LiveSource(None)  # type: ignore[arg-type]  # the registry above needs no client
        return ingest(place.settings, ["FI"], live, overrides=overrides)


def csv(*rows: tuple[str, str, str, str]) -> str:
    return "\n".join(["number,name,status,date", *(",".join(row) for row in rows), "end"])


@pytest.mark.slow
def test_ingest_answer_named_in_the_future_does_not_move_the_cursor(place: Place) -> None:
    registry = Registry({"2026-03-01": csv(OPEN, OTHER)})
    assert registry.run(place).exit_code == DONE
    more = csv(OPEN, OTHER, (THREE, "Kolme Oy", "open", ""))
    registry.files |= {"2026-03-02": more, "2062-03-02": csv(OPEN, OTHER)}
    report = registry.run(place)
    assert (report.exit_code, report.release) == (HELD, 2)
    [held] = report.held
    assert (held.guard, str(held.seen)[:56]) == ("fetch", "register-2062-03-02.csv is dated 2062-03-02T00:00:00Z, i")
    del registry.files["2062-03-02"]
    registry.files["2026-03-03"] = csv(ASLEEP, OTHER)
    report = registry.run(place)
    assert (report.held, report.events["status.changed"]) == ((), 2)


FILED = replace(ACCOUNTS, columns=(*ACCOUNTS.columns, Column("filed_at", ColumnKind.INSTANT, "f")))


def read_filed(piece: ArchiveMember) -> Iterator[Batch]:
    found = [{**row, "filed_at": datetime.fromisoformat(row["filed_at"])} for row in records_of(piece)]
    dated = [{**row, **{name: datetime.fromisoformat(row[name]).date() for name in ("start", "end")}} for row in found]
    yield staging.make_batch(FILED, dated)


def filed_dataset() -> Dataset:
    return replace(MARKET.datasets[1], staged_tables={FILED.name: FILED}, read_batches=read_filed)


def test_ingest_row_with_a_future_instant_is_read_without_it_and_signalled(place: Place) -> None:
    place.market = replace(MARKET, datasets=(MARKET.datasets[0], filed_dataset(), MARKET.datasets[2]))
    place.register(OPEN, OTHER)
    rows = [accounts(native, ONE, year, 5, filed_at=f"{filed}-02-01T00:00:00Z") for native, year, filed in (
        ("a1", 2024, 2025), ("a2", 2025, 2062),
    )]  # fmt: skip
    place.records("accounts/a.json", *rows)
    report = place.ingest()
    assert (report.exit_code, report.signals) == (DONE, 1)
    [note] = run_log.read_run_log(place.settings.layout)
    assert [(one.code, one.subject, one.count) for one in note.signals] == [("instant_in_future", "filed_at", 1)]
    assert any("filed_at: 1 instant in the future" in line for line in place.lines)
