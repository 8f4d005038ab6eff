"""Markets as merges of contributions: independent of their order, and loud where two contradict each other."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import connectors
from connectors.contract.contribution import Contribution
from connectors.contract.dataset import (
    CONTRADICTIONS,
    Dataset,
    HostLimit,
    HostSecret,
    Jurisdiction,
    Link,
    PresentRows,
    SharedTables,
)
from connectors.contract.pieces import no_split
from connectors.kit import staging
from connectors.kit.composition import compose_market, merge_limits
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from pipelines.steps.normalise import contradiction_signals
from sandbox import World, write_days
from tests.pipelines.invented import dataset_of
from tests.tables import check_cases
from tests.without_dagster import without_dagster
from warehouse.ledger.ledger import Ledger
from warehouse.release.manifest import read_manifest
from warehouse.schema.tables import COMPANIES, FILINGS, HOLDINGS, IDENTIFIERS
from warehouse.schema.types import Column, ColumnKind, Table

TODAY = date(2026, 11, 16)
AT = datetime(2026, 11, 16, tzinfo=UTC)
SERVED = tuple(market for market in connectors.JURISDICTIONS if market.state == "served")


def contributions(market: Jurisdiction) -> tuple[Contribution, ...]:
    return import_module(f"connectors.{market.code.lower()}").CONTRIBUTIONS


def shuffled(market: Jurisdiction, seed: int) -> Jurisdiction:
    """The market from its contributions in another order, with other names: these may not decide anything."""
    parts = list(contributions(market))
    random.Random(seed).shuffle(parts)
    return compose_market(market.code, [replace(part, name=f"{n:02}") for n, part in enumerate(parts)])


def by_table(entries: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for table, entry in entries:
        found.setdefault(table, []).append(entry)
    return found


def declared(market: Jurisdiction) -> dict[str, Any]:
    """All that a market declares, where order matters in its order."""
    return {
        "datasets": {dataset.key: dataset.title for dataset in market.datasets},
        "staged": by_table((table, made.key) for made in market.datasets for table in made.staged_tables),
        "links": by_table((link.table, link) for link in market.links),
        "companions": set(market.companions),
        "precedence": market.field_precedence,
        "holders": market.holder_columns,
        "removed": market.removal_masks,
        "confirmed": market.removal_confirmations,
        "secrets": set(market.host_secrets),
        "limits": market.host_limits,
        "dated": set(market.dated_datasets),
        "untitled": set(market.untitled_datasets),
    }


@pytest.mark.parametrize("seed", range(5))
def test_compose_market_shuffled_contributions_declare_the_same(seed: int) -> None:
    for market in SERVED:
        assert declared(shuffled(market, seed)) == declared(market), market.code


def test_compose_market_links_every_table_after_those_it_is_linked_through() -> None:
    for market in SERVED:
        tables = [link.table for link in market.links]
        for place, link in enumerate(market.links):
            assert link.through not in tables[place:], (market.code, link)


@pytest.mark.slow
def test_ingest_shuffled_contributions_gives_the_same_release_and_events(tmp_path: Path) -> None:
    world = World(seed=11, companies=300, days=2, press=tuple(market.code for market in SERVED))
    folders = write_days(world, tmp_path / "world")
    results = [
        ingest_days(tmp_path / f"data{place}", folders, markets)
        for place, markets in enumerate((SERVED, tuple(shuffled(market, 3) for market in SERVED)))
    ]
    assert results[0] == results[1]
    assert results[0][1]  # there are events


def ingest_days(root: Path, folders: Iterable[Path], markets: tuple[Jurisdiction, ...]) -> tuple[list[str], list[str]]:
    """Content fingerprints of the releases, and ids of the events."""
    settings = IngestSettings(data=root, workers=1)
    fingerprints: list[str] = []
    with without_dagster():
        for day, folder in enumerate(folders):
            now = datetime.fromisoformat(f"{folder.name}T12:00:00+00:00") + timedelta(minutes=day)
            overrides = IngestOverrides(jurisdictions=markets, clock=lambda now=now: now)
            report = ingest(settings, [], FolderSource(folder), overrides=overrides)
            assert not report.errors
            assert report.release is not None
            fingerprints.append(read_manifest(settings.layout, report.release).content_fingerprint)
    return fingerprints, sorted(event.event_id for event in Ledger(settings.layout).after(0, 10_000))


# --- invented contributions ---------------------------------------------------------------------------------------

COLUMNS = (
    Column("id", ColumnKind.TEXT, "key"),
    Column("lei", ColumnKind.TEXT, "LEI"),
    Column("org", ColumnKind.TEXT, "number"),
)
A, B = (Table(name, "rows", ("id",), COLUMNS) for name in ("xx_a", "xx_b"))


def dataset(table: Table, key: str | None = None) -> Dataset:
    return dataset_of(key or f"xx.{table.name}", table, "*", no_split, None)  # type: ignore[arg-type]


def identifiers(*values: tuple[str, str | None]) -> pl.DataFrame:
    rows = [
        {"company_id": "firm:FI:1", "scheme": "lei", "value": "L", "register": register, "raw": raw, "observed_at": AT}
        for register, raw in values
    ]
    return pl.DataFrame(rows, schema=staging.staged_schema(IDENTIFIERS), orient="row")


def giving(name: str, raw: str | None, rank: int = 0) -> Contribution:
    rows = {IDENTIFIERS.name: identifiers((name, raw))}
    return Contribution(name=name, rank=rank, to_shared_tables=lambda _present, _today: rows)


@check_cases(
    ("first", "second", "said"),
    [
        ({"datasets": (dataset(A, "xx.d"),)}, {"datasets": (dataset(B, "xx.d"),)}, "dataset xx.d"),
        ({"datasets": (dataset(A),)}, {"datasets": (dataset(A, "xx.other"),)}, "staged table xx_a"),
        ({"company_ids": {"xx_a": pl.col("org")}}, {"company_ids": {"xx_a": pl.col("id")}}, "company ids of xx_a"),
        ({"lei_columns": {"xx_a": "lei"}}, {"lei_columns": {"xx_a": "id"}}, "the LEI column of xx_a"),
        ({"links": (Link("xx_a", "lei", "xx_b", "lei"),)}, {"links": (Link("xx_a", "id", "xx_b", "id"),)}, "links of xx_a"),
        ({"field_precedence": {"name": ()}}, {"field_precedence": {"name": ()}}, "the precedence of name"),
        ({"holder_columns": {"xx_a": ("id",)}}, {"holder_columns": {"xx_a": ("org",)}}, "holders of xx_a"),
        ({"removal_masks": {"xx_a": len}}, {"removal_masks": {"xx_a": len}}, "removals of xx_a"),
        ({"removal_confirmations": {"xx_a": len}}, {"removal_confirmations": {"xx_a": len}}, "confirmations of xx_a"),
        ({"table_rules": {"companies": len}}, {"table_rules": {"companies": len}}, "the rule of companies"),
        ({"host_secrets": (HostSecret("h", "key"),)}, {"host_secrets": (HostSecret("h", "id"),)}, "the secret of h"),
    ],
)  # fmt: skip
def test_compose_market_contradicting_contributions_are_both_named(
    first: Mapping[str, Any], second: Mapping[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=f"FI: first and second both declare {said}"):
        compose_market("FI", (Contribution(name="second", **second), Contribution(name="first", **first)))


def test_compose_market_two_contributions_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="both declare name same"):
        compose_market("FI", (Contribution(name="same"), Contribution(name="same")))


def test_compose_market_precedence_of_an_unknown_dataset_is_refused() -> None:
    with pytest.raises(ValueError, match=r"precedence names xx\.none"):
        compose_market("FI", (Contribution(name="x", field_precedence={"name": ("xx.none",)}),))


def test_compose_market_tables_linked_in_a_circle_are_refused() -> None:
    links = (Link("xx_a", "lei", "xx_b", "lei"), Link("xx_b", "lei", "xx_a", "lei"))
    with pytest.raises(ValueError, match="cycle"):
        compose_market("FI", (Contribution(name="x", datasets=(dataset(A), dataset(B)), links=links),))


def test_merge_limits_two_limits_of_one_host_are_refused() -> None:
    one = HostLimit("h", 1.0)
    assert merge_limits((one, HostLimit("g", 2.0), HostLimit("h", 1.0))) == (HostLimit("g", 2.0), one)
    with pytest.raises(ValueError, match="h has two limits"):
        merge_limits((one, HostLimit("h", 1.0, "shared")))


def test_touches_table_without_company_ids_concerns_no_company() -> None:
    market = compose_market("FI", (Contribution(name="x", company_ids={"xx_a": pl.lit("firm:FI:") + pl.col("org")}),))
    rows = pl.DataFrame({"org": ["1", None]})
    assert market.company_ids_of_rows("xx_a", rows).to_list() == ["firm:FI:1", None]
    assert market.company_ids_of_rows("xx_b", rows).to_list() == [None, None]


def test_lei_records_asks_for_the_columns_of_every_contribution() -> None:
    asked: list[Mapping[str, str]] = []

    def records(columns: Mapping[str, str]) -> Dataset:
        asked.append(columns)
        return dataset(B)

    leis = Contribution(name="leis", lei_records=records)
    compose_market("FI", (leis, Contribution(name="one", datasets=(dataset(A),), lei_columns={"xx_a": "lei"})))
    assert asked[0] == {"xx_a": "lei"}


@pytest.mark.parametrize("turned", [False, True])
def test_normalise_row_of_the_lower_rank_holds_and_the_other_fills_its_nulls(turned: bool) -> None:
    parts = (giving("low", None), giving("high", "raw", rank=1))
    made = compose_market("FI", parts[::-1] if turned else parts).to_shared_tables({}, TODAY)
    assert made[IDENTIFIERS.name].select("register", "raw").rows() == [("low", "raw")]


@pytest.mark.parametrize("turned", [False, True])
def test_normalise_values_that_two_contributions_state_differently_are_told_and_the_lower_rank_is_served(
    turned: bool,
) -> None:
    def filing(register: str, rank: int, **values: Any) -> Contribution:
        row = {"filing_id": "f", "company_id": "firm:FI:1", "register": register, **values}
        rows = pl.DataFrame([row], schema=staging.staged_schema(FILINGS))
        return Contribution(name=register, rank=rank, to_shared_tables=lambda _present, _today: {FILINGS.name: rows})

    parts = (
        filing("xx.low", 0, period_end=TODAY, filed_at=None, native_id="n"),
        filing("xx.high", 1, period_end=TODAY.replace(day=1), filed_at=TODAY, native_id="n"),
        filing("xx.highest", 2, period_end=TODAY.replace(day=1), filed_at=TODAY.replace(day=2), raw="elsewhere"),
    )
    made = compose_market("FI", parts[::-1] if turned else parts).to_shared_tables({}, TODAY)
    assert made[FILINGS.name].select("period_end", "filed_at").rows() == [(TODAY, TODAY)]
    signals = contradiction_signals([made[CONTRADICTIONS], made[CONTRADICTIONS]], "xx.profiles")
    assert [(one.dataset, one.code, one.subject, one.count, one.examples) for one in signals] == [
        ("xx.high", "contradicts_other_source", "filings.period_end", 2, ("firm:FI:1",)),
        ("xx.highest", "contradicts_other_source", "filings.filed_at", 2, ("firm:FI:1",)),
        ("xx.highest", "contradicts_other_source", "filings.period_end", 2, ("firm:FI:1",)),
    ]


@pytest.mark.parametrize("turned", [False, True])
def test_normalise_late_rows_see_all_and_have_the_rank_of_their_contribution(turned: bool) -> None:
    def late(shared: SharedTables, _present: PresentRows, _today: date) -> SharedTables:
        seen = ",".join(shared[IDENTIFIERS.name]["register"])
        return {IDENTIFIERS.name: identifiers((f"after {seen}", "late"))}

    parts = (giving("given", "raw", rank=2), Contribution(name="late", rank=1, to_dependent_tables=late))
    made = compose_market("FI", parts[::-1] if turned else parts).to_shared_tables({}, TODAY)
    assert made[IDENTIFIERS.name]["register"].to_list() == ["after given"]


@pytest.mark.parametrize("turned", [False, True])
def test_normalise_rules_see_the_merged_tables_and_not_each_other(turned: bool) -> None:
    def drop(rows: pl.DataFrame, _shared: SharedTables, _today: date) -> pl.DataFrame:
        return rows.clear()

    def count(rows: pl.DataFrame, shared: SharedTables, _today: date) -> pl.DataFrame:
        return rows.with_columns(name=pl.lit(f"{shared[IDENTIFIERS.name].height} identifiers"))

    company = staging.empty_staged_frame(COMPANIES).clear(n=1)
    named = Contribution(
        name="named",
        to_shared_tables=lambda _present, _today: {COMPANIES.name: company},
        table_rules={COMPANIES.name: count},
    )
    parts = (named, giving("given", "raw"), Contribution(name="drops", table_rules={IDENTIFIERS.name: drop}))
    made = compose_market("FI", parts[::-1] if turned else parts).to_shared_tables({}, TODAY)
    assert made[IDENTIFIERS.name].is_empty()
    assert made[COMPANIES.name]["name"].to_list() == ["1 identifiers"]


def test_normalise_names_of_every_market_are_served_as_they_are_seen() -> None:
    def named(_present: PresentRows, _today: date) -> SharedTables:
        company = {
            "company_id": ["firm:FI:0000001-9"],
            "name": ["\ufeffNo\u00adkia\tOyj"],
            "previous_names": [["A\u200bB"]],
        }
        holder = {"company_id": ["firm:FI:0000001-9"], "holder_name": ["Ko\u0308ln  AB"]}
        return {
            COMPANIES.name: staging.cast_to_table(
                staging.complete_columns(pl.LazyFrame(company), COMPANIES).collect(), COMPANIES
            ),
            HOLDINGS.name: staging.cast_to_table(
                staging.complete_columns(pl.LazyFrame(holder), HOLDINGS).collect(), HOLDINGS
            ),
        }

    shared = compose_market("FI", (Contribution(name="x", to_shared_tables=named),)).to_shared_tables({}, TODAY)
    assert shared[COMPANIES.name].select("name", "previous_names").row(0) == ("Nokia Oyj", ["AB"])
    assert shared[HOLDINGS.name]["holder_name"].to_list() == ["Köln AB"]
