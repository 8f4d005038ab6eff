"""An export and the deltas after it give the next export, row for row, whatever has changed and however."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.warehouse.handed import ONE, TABLES, TWO, applied, delta_lines, hostile_world, objects, parquet, write
from tests.warehouse.helpers import day, event, rows
from tests.warehouse.world import learn, member, owner, period, publish
from warehouse.exports.exports import ExportStore, MarketExport
from warehouse.schema.tables import EVENTS
from warehouse.storage.layout import Layout


def changed_world(layout: Layout, at: int) -> None:
    """A company with another name, one that is gone, one that is new; a new year, an owner who left, an event."""
    # what a day leaves out of its tables is gone
    companies = [member("NO", number, name=f"Navn {at}" if number == 2 else "Fast") for number in (1, 2, 3 + at)]
    financials = [period(ONE, 2024), *(period(ONE, 2024 + one, revenue=at) for one in range(1, at + 1))]
    owners = [owner(ONE, "own_a", "40"), *([owner(ONE, "own_b", str(at))] if at % 2 else [])]
    filings = [{"company_id": ONE, "filing_id": f"fil_{one}", "filing_type": "annual_report"} for one in range(at + 1)]
    learn(layout, "NO", at, companies=companies, financials=financials, owners=owners, filings=filings)
    publish(layout, "NO", at=at, events=rows(EVENTS, event(str(at), ONE, day(at))))


def test_base_and_deltas_give_the_next_export(layout: Layout) -> None:
    held: dict[str, list[dict[str, Any]]] = {}
    for at in (0, 1, 3):
        changed_world(layout, at)
        [export] = write(layout, at=at, formats=("parquet", "ndjson"))
        found = {table: objects(export, table) for table in TABLES}
        if at == 0:
            assert export.delta is None
            held = found
            continue
        assert export.delta is not None
        held = {table: applied(held[table], export.delta, table) for table in TABLES}
        assert held == found
        [new] = delta_lines(export.delta, "events", "upserts")
        assert new == found["events"][-1]
        assert delta_lines(export.delta, "events", "deletes") == []
    assert {row["company_id"] for row in delta_lines(export.delta or Path(), "companies", "deletes")} == {
        f"firm:NO:90000000{number}" for number in (1, 2, 4)
    }  # the first has another latest year


def test_the_delta_says_what_it_is_between(layout: Layout) -> None:
    changed_world(layout, 0)
    write(layout, at=0)
    changed_world(layout, 1)
    [export] = write(layout, at=1)
    assert export.delta is not None
    assert export.delta.name == "0000000001-0000000002"
    manifest = json.loads((export.delta / "manifest.json").read_bytes())
    assert (manifest["base_release"], manifest["release"]) == (1, 2)
    assert (manifest["base_sequence"], manifest["as_of_sequence"]) == (1, 2)
    assert sorted(path.name for path in export.delta.iterdir()) == sorted(
        ["manifest.json", *(entry["name"] for entry in manifest["files"])]
    )
    counts = {(entry["table"], entry["part"]): entry["rows"] for entry in manifest["files"]}
    assert (counts["companies", "deletes"], counts["companies", "upserts"]) == (3, 3)
    before = {path.name: path.stat() for path in export.delta.iterdir()}
    [again] = write(layout, at=9)
    assert (again.is_new, again.delta) == (False, export.delta)
    assert {path.name: path.stat() for path in export.delta.iterdir()} == before


def test_equal_exports_have_a_delta_without_rows(layout: Layout) -> None:
    hostile_world(layout)
    write(layout, "NO")
    publish(layout, "NO", "SE", at=2, full=True)
    [export] = write(layout, "NO")
    assert export.delta is not None
    manifest = json.loads((export.delta / "manifest.json").read_bytes())
    assert {entry["rows"] for entry in manifest["files"]} == {0}


@pytest.mark.parametrize("spoil", ["formats", "columns", "file"])
def test_what_cannot_be_compared_has_no_delta(layout: Layout, spoil: str) -> None:
    changed_world(layout, 0)
    [base] = write(layout, at=0, formats=("ndjson",) if spoil == "formats" else ("parquet",))
    if spoil == "columns":
        manifest = json.loads((base.folder / "manifest.json").read_bytes())
        manifest["columns"]["companies"].pop()
        (base.folder / "manifest.json").write_text(json.dumps(manifest))
    elif spoil == "file":
        (base.folder / "owners.parquet").unlink(missing_ok=True)
        (base.folder / "ownership.parquet").write_bytes(b"cut")
    changed_world(layout, 1)
    [export] = write(layout, at=1)
    assert export.delta is None
    assert not (export.folder.parent / "deltas").exists()


def test_ranges_of_ids_cover_the_market(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups and chunks of one row each, and windows of filings too."""
    monkeypatch.setattr("warehouse.exports.writer.GROUP", 1)
    monkeypatch.setattr("warehouse.exports.delta_writer.GROUP", 1)
    monkeypatch.setattr("warehouse.exports.delta_writer.COMPANIES", 1)
    monkeypatch.setattr("warehouse.exports.market_rows.COMPANIES", 1)
    changed_world(layout, 1)
    [base] = write(layout, at=1)
    changed_world(layout, 2)
    [export] = write(layout, at=2)
    assert export.delta is not None
    for table in TABLES:
        assert applied(objects(base, table), export.delta, table) == objects(export, table)


def test_csv_has_the_values_of_json(layout: Layout) -> None:
    hostile_world(layout)
    [export] = write(layout, "NO", formats=("ndjson", "csv"))
    for table in TABLES:
        assert _csv_rows(export, table) == [
            {name: _as_csv(value) for name, value in row.items()} for row in objects(export, table)
        ]
    read = pl.read_csv(gzip.decompress((export.folder / "financials.csv.gz").read_bytes()), try_parse_dates=True)
    assert read["net_result"].min() == -(2**62)
    assert read["filed_at"].dtype == pl.Date


def _csv_rows(export: MarketExport, table: str) -> list[dict[str, str]]:
    text = gzip.decompress((export.folder / f"{table}.csv.gz").read_bytes()).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _as_csv(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.slow
def test_deltas_are_pruned_by_number(layout: Layout) -> None:
    exports = ExportStore(layout, clock=lambda: day(9), keep=1, keep_deltas=2)
    for at in range(4):
        changed_world(layout, at)
        list(exports.write(formats=("parquet",)))
    root = layout.exports_folder / "NO"
    assert sorted(path.name for path in root.iterdir()) == ["0000000004", "deltas", "latest.json"]
    assert sorted(path.name for path in (root / "deltas").iterdir()) == [
        "0000000002-0000000003",
        "0000000003-0000000004",
    ]
    assert parquet(MarketExport("NO", root / "0000000004", {}, is_new=False), "companies").height == 3


@pytest.mark.slow
def test_a_delta_from_an_export_of_a_lost_line_of_releases_has_every_event(layout: Layout, tmp_path: Path) -> None:
    """As after a data folder was restored from before the export: its events are of other companies."""
    lost = Layout(tmp_path / "lost")
    companies = [member("NO", number) for number in (1, 2)]
    for at, (place, company) in enumerate(((lost, ONE), (layout, TWO), (layout, TWO))):
        learn(place, "NO", at, companies=companies)
        publish(place, "NO", at=at, full=True, events=rows(EVENTS, event(f"{company}{at}", company, day(at))))
    [base] = write(lost, to=layout.exports_folder)
    [export] = write(layout, at=2)
    assert export.delta is not None
    assert applied(objects(base, "events"), export.delta, "events") == objects(export, "events")
