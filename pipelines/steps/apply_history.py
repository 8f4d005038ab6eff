"""HISTORY: each pending snapshot gets its derived tables, is applied, and its differences become events.

Each part of a snapshot is one transaction: rows, events in the outbox, the mark. Parts have no company in
common, so a kill between two leaves some companies updated and others not, each consistent; the next run
applies the rest first. Until then a release without an ingest (an erasure) publishes this mixed state. Does
not belong here: how tables are compared (`warehouse.history.history`), what the derived tables and events are
(`steps`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Final

import polars as pl

from connectors.contract.dataset import Jurisdiction
from pipelines.steps.link_companies import LINKED
from pipelines.steps.normalise import EDITIONS, IMAGE_MARK, snapshot_key
from pipelines.transforms.events import build_event_rows
from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.financials.versions import build_financial_versions
from pipelines.transforms.news import dedup, notice_dedup
from pipelines.transforms.ownership.intermediate_states import SPANS
from pipelines.transforms.ownership.observed_statements import companies_changed_in_place
from pipelines.transforms.ownership.owners import SourcePrecedence, build_owners
from pipelines.transforms.ownership.valid_time import build_valid_time_spans
from pipelines.workspace import Workspace
from warehouse import schema_render
from warehouse.decisions import DecisionLog
from warehouse.history.history import MarketHistory, TableDiff
from warehouse.schema.decisions import HolderDecision
from warehouse.schema.tables import (
    FINANCIALS,
    HOLDINGS,
    HOLDINGS_EARLIER,
    NEWS,
    NOTICES,
    OWNERS,
    TABLES,
)
from warehouse.staged.snapshots import NormalisedSnapshot, SnapshotPart

HISTORY_MARK: Final = "history"


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """Changes made by the pending snapshots: rows added, removed and changed, by table."""

    market: str
    images: int = 0
    changes: Mapping[str, int] = field(default_factory=dict)
    events: int = 0


def result_name(market: str) -> str:
    """Name of a market's history result."""
    return f"history-{market}"


def apply_pending(workspace: Workspace, jurisdiction: Jurisdiction, batch: str) -> ApplyResult:
    """Applies every pending snapshot of a market, oldest instant first."""
    market = jurisdiction.code
    counts = dict.fromkeys((table.name for table in TABLES), 0)
    images = told = 0
    verdicts = DecisionLog(workspace.layout).verdicts(market)
    with workspace.history(market) as history:
        for image in workspace.images.all(market):
            pending = _pending_parts(history, image)
            for part, mark in pending:
                tables, touched = part.read()
                with history.transaction():
                    changes, rows = merge_tables(
                        history, jurisdiction, tables, touched, image.instant, verdicts
                    )
                    history.emit(rows)
                    history.mark(HISTORY_MARK, mark)
                for name, change in changes.items():
                    counts[name] += change.added.height + change.removed.height + change.changed_after.height
                told += rows.height
            images += bool(pending)
            workspace.images.drop(image)
    receipt = ApplyResult(market, images, counts, told)
    workspace.receipts.write(batch, result_name(market), asdict(receipt))
    return receipt


def _pending_parts(history: MarketHistory, image: NormalisedSnapshot) -> list[tuple[SnapshotPart, str]]:
    """The parts of a snapshot not applied yet, each with its mark; the last part's mark is the snapshot's own."""
    key = snapshot_key(image.batch, image.instant)
    done = history.marked(HISTORY_MARK)
    if key in done or key not in history.marked(IMAGE_MARK):
        return []
    marks = [*(f"{key}/{part.name}" for part in image.parts[:-1]), key]
    return [(part, mark) for part, mark in zip(image.parts, marks, strict=True) if mark not in done]


def merge_tables(
    history: MarketHistory,
    jurisdiction: Jurisdiction,
    tables: dict[str, pl.DataFrame],
    touched: pl.Series,
    instant: datetime,
    verdicts: Sequence[HolderDecision],
) -> tuple[dict[str, TableDiff], pl.DataFrame]:
    editions = tables.pop(EDITIONS)
    linked = tables.pop(LINKED, None)
    tables["financials"] = build_financial_versions(
        tables["financials_reported"], tables["filings"], history.open_rows(FINANCIALS, touched)
    )
    earlier = tables.pop(HOLDINGS_EARLIER.name, schema_render.empty_frame(HOLDINGS_EARLIER))
    sources = SourcePrecedence(jurisdiction.precedence.get("ownership", ()), jurisdiction.dated)
    former = history.open_rows(OWNERS, touched)
    tables["owners"] = build_owners(
        tables["holdings"],
        former,
        instant,
        sources,
        _decisions_for(verdicts, touched),
        earlier,
    )
    late = frozenset(editions.filter("late")["dataset"]) - frozenset(
        editions.filter(~pl.col("late"))["dataset"]
    )
    only_late = bool(editions["late"].all())
    untitled = frozenset(jurisdiction.untitled)
    tables["news"] = dedup.deduplicate_news(tables["news"], history.open_rows(NEWS, touched), untitled)
    tables["notices"] = notice_dedup.deduplicate_notices(
        tables["notices"], history.open_rows(NOTICES, touched)
    )
    changes = {
        table.name: history.apply(table, tables[table.name], touched, instant, late=only_late)
        for table in TABLES
    }
    seen = companies_changed_in_place(tables["owners"], former, sources)
    states = None if seen.is_empty() else history.states(HOLDINGS, seen)
    told = build_valid_time_spans(tables["owners"], (tables["holdings"], earlier), sources, states, former)
    history.fill(OWNERS, told.rows, told.keys, instant)
    tables[SPANS] = told.rows
    occasion = EmissionContext(instant, _dataset_baselines(history, jurisdiction), late, linked)
    return changes, build_event_rows(changes, tables, occasion)


def _decisions_for(verdicts: Sequence[HolderDecision], touched: pl.Series) -> list[HolderDecision]:
    """Decisions on these companies."""
    concerned = set(touched.filter(touched.is_in([told.company_id for told in verdicts])))
    return [told for told in verdicts if told.company_id in concerned]


def _dataset_baselines(history: MarketHistory, jurisdiction: Jurisdiction) -> dict[str, datetime]:
    found = {dataset.key: history.baseline(dataset.key) for dataset in jurisdiction.datasets}
    return {dataset: baseline for dataset, baseline in found.items() if baseline is not None}
