"""What is in an export: the objects of the API, byte for byte, and the same values typed."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest

from tests.warehouse.handed import HOSTILE, ONE, TABLES, TWO, hostile_world, lines, objects, parquet, served, write
from tests.warehouse.helpers import day
from tests.warehouse.world import NO_EVENTS, learn, member, owner, publish
from warehouse.exports import schemas
from warehouse.exports.exports import InvalidReleaseError, MarketExport, MarketNotInReleaseError, NoReleaseError
from warehouse.publish.publisher import MarketPart, ReleaseStore
from warehouse.schema.market_state import DatasetState, LicenceTerms, QuarantineReason
from warehouse.serving import document_sql
from warehouse.storage.duckdb import open_database
from warehouse.storage.layout import Layout


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> MarketExport:
    layout = Layout(tmp_path_factory.mktemp("handed") / "data")
    hostile_world(layout)
    return write(layout, "NO")[0]


@pytest.mark.slow
@pytest.mark.parametrize("group", [2, 60_000])
def test_every_line_is_what_the_api_serves(layout: Layout, monkeypatch: pytest.MonkeyPatch, group: int) -> None:
    monkeypatch.setattr("warehouse.exports.writer.GROUP", group)
    hostile_world(layout)
    for made in write(layout):
        on = dt.date.fromisoformat(made.manifest["ownership_as_of"])
        expected = served(layout, made.market, on)
        for table in TABLES:
            found = lines(made, table)
            if table == "financials":  # both series: the reader gives one after the other
                assert sorted(found) == sorted(expected[table])
            else:
                assert found == expected[table]
    [made] = write(layout, "NO")
    assert [row["name"] for row in objects(made, "companies")] == HOSTILE
    assert len(objects(made, "events")) == 6


def test_financials_are_the_newest_versions_in_the_contracts_order(export: MarketExport) -> None:
    found = [
        (row["company_id"], row["period"], row["is_consolidated"], row["version"], row["revenue"])
        for row in objects(export, "financials")
    ]
    assert found == [
        (ONE, "2025-Q4", False, 1, 2025000),
        (ONE, "2024", False, 2, None),
        (ONE, "2024", True, 1, 2024000),
        (ONE, "2023", False, 1, 0),
        (TWO, "2024", False, 1, None),
    ]


def test_owners_are_those_of_the_day_the_manifest_names(export: MarketExport) -> None:
    assert export.manifest["ownership_as_of"] == "2026-01-03"  # of the release, whatever day it is now
    assert [(row["holder_id"], row["pct"]) for row in objects(export, "ownership")] == [
        ("own_b", 10.7),
        ("own_a", 0.0001),
        ("own_c", None),
    ]


def test_of_persons_name_and_country_alone(export: MarketExport) -> None:
    [person] = [row for row in objects(export, "ownership") if row["holder_type"] == "person"]
    assert (person["holder_name"], person["holder_country"]) == (None, "NO")
    members = [name for name, _ in document_sql.OWNER]
    assert list(person) == ["company_id", *members]
    assert not [name for name in members if "birth" in name or "address" in name]


def _plain(value: Any) -> Any:
    """A typed value as JSON spells it."""
    if isinstance(value, dt.datetime):
        return f"{value:%Y-%m-%dT%H:%M:%SZ}"
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    return [_plain(member) for member in value] if isinstance(value, list) else value


@pytest.mark.parametrize("table", TABLES)
def test_parquet_holds_the_same_by_polars_and_by_duckdb(table: str, export: MarketExport) -> None:
    expected = objects(export, table)
    if table == "events":
        expected = [
            row | {"data": json.dumps(row["data"], ensure_ascii=False, separators=(",", ":"))} for row in expected
        ]
    assert expected
    by_polars = [_plain(row) for row in parquet(export, table).to_dicts()]
    assert by_polars == expected
    with open_database() as connection:
        found = connection.read_parquet(str(export.folder / f"{table}.parquet"))
        assert [list(row) for row in expected] == [found.columns] * len(expected)
        assert [_plain(row) for row in found.to_arrow_table().to_pylist()] == expected


def test_types(export: MarketExport) -> None:
    instant = pl.Datetime("us", "UTC")
    assert parquet(export, "companies").schema["registered_date"] == pl.Date
    assert parquet(export, "companies").schema["latest_revenue"] == pl.Int64
    assert parquet(export, "financials").schema["derived"] == pl.List(pl.String)
    assert parquet(export, "financials")["net_result"].min() == -(2**62)
    assert parquet(export, "ownership").schema["pct"] == pl.Decimal(9, 4)
    assert parquet(export, "ownership")["pct"].to_list() == [Decimal("10.7"), Decimal("0.0001"), None]
    assert parquet(export, "events").schema["recorded_at"] == instant
    assert parquet(export, "details")["sources"][0].to_list()[0]["retrieved_at"] == day(0)


def test_null_is_never_nought(export: MarketExport) -> None:
    financials = parquet(export, "financials")
    assert financials["revenue"].to_list() == [2025000, None, 2024000, 0, None]
    assert financials["employees"].null_count() == financials.height
    assert parquet(export, "details")["employees"].to_list() == [0, *[None] * 6]
    assert parquet(export, "companies")["latest_revenue"].null_count() == 6


def test_columns_are_the_members_of_the_apis_objects() -> None:
    def names(fields: document_sql.Fields) -> list[str]:
        return [name for name, _ in fields]

    parts = [*names(document_sql.DETAIL), *names(document_sql.IDENTIFIERS), "address", "sources"]
    assert schemas.COMPANIES.schema.names == names(document_sql.PROFILE)
    assert schemas.DETAILS.schema.names == ["id", *parts]
    assert schemas.FINANCIALS.schema.names == ["company_id", *names(document_sql.PERIOD)]
    assert schemas.OWNERSHIP.schema.names == ["company_id", *names(document_sql.OWNER)]
    assert schemas.EVENTS.schema.names == names(document_sql.EVENT)
    address = schemas.DETAILS.schema.field("address").type
    assert [field.name for field in address] == names(document_sql.ADDRESS)


def test_rows_are_sorted_and_groups_can_be_skipped(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.exports.writer.GROUP", 2)
    learn(layout, "NO", 0, companies=[member("NO", number, employees=9 - number) for number in range(1, 6)])
    publish(layout, "NO")
    changed = [member("NO", number, employees=9 - number, name=f"Ny {number % 2}") for number in range(1, 6)]
    learn(layout, "NO", 1, companies=changed)
    publish(layout, "NO", at=1)  # patched, so written in another order
    [made] = write(layout, "NO")
    meta = pq.ParquetFile(made.folder / "companies.parquet").metadata
    bounds = [meta.row_group(number).column(0).statistics for number in range(meta.num_row_groups)]
    ids = [f"firm:NO:90000000{number}" for number in range(1, 6)]
    assert [(one.min, one.max) for one in bounds] == [(ids[0], ids[1]), (ids[2], ids[3]), (ids[4], ids[4])]
    assert parquet(made, "companies")["id"].to_list() == ids


def test_an_empty_market_has_files_without_rows(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    learn(layout, "SE", 0, companies=[member("SE", 1)])
    publish(layout, "NO", "SE")
    learn(layout, "SE", 1, companies=[])
    publish(layout, "SE", at=1)
    [made] = write(layout, "SE")
    assert {entry["rows"] for entry in made.manifest["files"]} == {0}
    for table in TABLES:
        assert lines(made, table) == []
        frame = parquet(made, table)
        assert (frame.height, frame.columns) == (0, [*getattr(schemas, table.upper()).schema.names])
        path = str(made.folder / f"{table}.parquet")
        assert duckdb.sql(f"SELECT count(*) FROM '{path}'").fetchall() == [(0,)]


@pytest.mark.slow
def test_a_held_market_is_exported_as_it_was_and_says_so(layout: Layout) -> None:
    for market in ("NO", "SE"):
        learn(layout, market, 0, companies=[member(market, 1)])
    publish(layout, "NO", "SE")
    terms = LicenceTerms("NLOD-2.0", "https://data.norge.no/nlod", "Inneholder data …")
    states = {
        "se.x": DatasetState(day(0), held=QuarantineReason("max_shrink", 0.5, 0.02)),
        "se.a": DatasetState(None, terms=terms),
    }
    for market in ("NO", "SE"):
        learn(layout, market, 1, companies=[member(market, 1, name="Ny")])
    news = MarketPart("NO", layout.history_file("NO"), "fresh", day(1))
    ReleaseStore(layout).publish({"NO": news, "SE": MarketPart("SE", None, "held", day(0), states)}, NO_EVENTS)
    fresh, held = write(layout)
    assert (fresh.manifest["state"], objects(fresh, "companies")[0]["name"]) == ("fresh", "Ny")
    assert (held.manifest["state"], objects(held, "companies")[0]["name"]) == ("held", "Firma 1 AS")
    assert held.manifest["datasets"] == [
        {
            "dataset": "se.a",
            "observed_at": None,
            "held": None,
            "licence": "NLOD-2.0",
            "licence_url": "https://data.norge.no/nlod",
            "attribution": "Inneholder data …",
        },
        {
            "dataset": "se.x",
            "observed_at": "2026-01-01T00:00:00Z",
            "held": {"guard": "max_shrink", "seen": 0.5, "allowed": 0.02},
            "licence": None,
            "licence_url": None,
            "attribution": None,
        },
    ]


def test_what_cannot_be_exported(layout: Layout) -> None:
    with pytest.raises(NoReleaseError, match="no release yet: run `firm ingest`"):
        write(layout)
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    publish(layout, "NO")
    with pytest.raises(MarketNotInReleaseError, match="market SE is not in release 1, which has NO: "):
        write(layout, "NO", "SE")
    assert not layout.exports_folder.exists()


def test_what_is_not_declared_is_never_left_out_in_silence(layout: Layout) -> None:
    odd = '[{"register":"no.x","native_id":"1","url":null,"as_of":null,"pct":1,"confidence":"high"}]'
    learn(layout, "NO", 0, companies=[member("NO", 1)], owners=[owner(ONE, "own_a", "1", sources=odd)])
    publish(layout, "NO")
    with pytest.raises(InvalidReleaseError, match=r"release 1: ownership of NO do not match the declared export"):
        write(layout)
    assert list((layout.exports_folder / "NO").iterdir()) == []
