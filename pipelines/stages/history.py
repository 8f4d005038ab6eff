"""HISTORY: each pending snapshot gets its derived tables, is applied, and its differences become events.

Each part of a snapshot is one transaction: rows, events in the outbox, the mark. Parts have no company in
common, so a kill between two leaves some companies updated and others not, each consistent; the next run
applies the rest first. Until then a release without an ingest (an erasure) publishes this mixed state. Does
not belong here: how tables are compared (`warehouse.history`), what the derived tables and events are
(`steps`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Final

import polars as pl

from connectors.declare import Jurisdiction
from pipelines.resources import Workspace
from pipelines.stages.linked import LINKED
from pipelines.stages.normalised import EDITIONS, IMAGE_MARK, image_key
from pipelines.steps import news, notices
from pipelines.steps.changes import Occasion
from pipelines.steps.events import events
from pipelines.steps.financials import financials
from pipelines.steps.ownership import Sources, owners
from pipelines.steps.ownership_passages import SPANS
from pipelines.steps.ownership_seen import in_place
from pipelines.steps.ownership_spans import spans
from warehouse import render
from warehouse.history import Changes, History
from warehouse.images import Image, Part
from warehouse.judgements import Judgements
from warehouse.schema.tables import (
    FINANCIALS,
    HOLDINGS,
    HOLDINGS_EARLIER,
    NEWS,
    NOTICES,
    OWNERS,
    TABLES,
)
from warehouse.schema.verdicts import Verdict

HISTORY_MARK: Final = "history"


@dataclass(frozen=True, slots=True)
class HistoryReceipt:
    """Changes made by the pending snapshots: rows added, removed and changed, by table."""

    market: str
    images: int = 0
    changes: Mapping[str, int] = field(default_factory=dict)
    events: int = 0


def receipt_name(market: str) -> str:
    """Name of a market's history result."""
    return f"history-{market}"


def apply(workspace: Workspace, jurisdiction: Jurisdiction, batch: str) -> HistoryReceipt:
    """Applies every pending snapshot of a market, oldest instant first."""
    market = jurisdiction.code
    counts = dict.fromkeys((table.name for table in TABLES), 0)
    images = told = 0
    verdicts = Judgements(workspace.layout).verdicts(market)
    with workspace.history(market) as history:
        for image in workspace.images.all(market):
            pending = _pending(history, image)
            for part, mark in pending:
                tables, touched = part.read()
                with history.transaction():
                    changes, rows = bring_tables(
                        history, jurisdiction, tables, touched, image.instant, verdicts
                    )
                    history.emit(rows)
                    history.mark(HISTORY_MARK, mark)
                for name, change in changes.items():
                    counts[name] += change.added.height + change.removed.height + change.changed_after.height
                told += rows.height
            images += bool(pending)
            workspace.images.drop(image)
    receipt = HistoryReceipt(market, images, counts, told)
    workspace.receipts.write(batch, receipt_name(market), asdict(receipt))
    return receipt


def _pending(history: History, image: Image) -> list[tuple[Part, str]]:
    """The parts of a snapshot not applied yet, each with its mark; the last part's mark is the snapshot's own."""
    key = image_key(image.batch, image.instant)
    done = history.marked(HISTORY_MARK)
    if key in done or key not in history.marked(IMAGE_MARK):
        return []
    marks = [*(f"{key}/{part.name}" for part in image.parts[:-1]), key]
    return [(part, mark) for part, mark in zip(image.parts, marks, strict=True) if mark not in done]


def bring_tables(
    history: History,
    jurisdiction: Jurisdiction,
    tables: dict[str, pl.DataFrame],
    touched: pl.Series,
    instant: datetime,
    verdicts: Sequence[Verdict],
) -> tuple[dict[str, Changes], pl.DataFrame]:
    editions = tables.pop(EDITIONS)
    linked = tables.pop(LINKED, None)
    tables["financials"] = financials(
        tables["financials_reported"], tables["filings"], history.open_rows(FINANCIALS, touched)
    )
    earlier = tables.pop(HOLDINGS_EARLIER.name, render.empty(HOLDINGS_EARLIER))
    sources = Sources(jurisdiction.precedence.get("ownership", ()), jurisdiction.dated)
    former = history.open_rows(OWNERS, touched)
    tables["owners"] = owners(
        tables["holdings"],
        former,
        instant,
        sources,
        _of(verdicts, touched),
        earlier,
    )
    late = frozenset(editions.filter("late")["dataset"]) - frozenset(
        editions.filter(~pl.col("late"))["dataset"]
    )
    only_late = bool(editions["late"].all())
    untitled = frozenset(jurisdiction.untitled)
    tables["news"] = news.told_once(tables["news"], history.open_rows(NEWS, touched), untitled)
    tables["notices"] = notices.told_once(tables["notices"], history.open_rows(NOTICES, touched))
    changes = {
        table.name: history.apply(table, tables[table.name], touched, instant, late=only_late)
        for table in TABLES
    }
    seen = in_place(tables["owners"], former, sources)
    states = None if seen.is_empty() else history.states(HOLDINGS, seen)
    told = spans(tables["owners"], (tables["holdings"], earlier), sources, states, former)
    history.fill(OWNERS, told.rows, told.keys, instant)
    tables[SPANS] = told.rows
    occasion = Occasion(instant, _baselines(history, jurisdiction), late, linked)
    return changes, events(changes, tables, occasion)


def _of(verdicts: Sequence[Verdict], touched: pl.Series) -> list[Verdict]:
    """Decisions on these companies."""
    concerned = set(touched.filter(touched.is_in([told.company_id for told in verdicts])))
    return [told for told in verdicts if told.company_id in concerned]


def _baselines(history: History, jurisdiction: Jurisdiction) -> dict[str, datetime]:
    found = {dataset.key: history.baseline(dataset.key) for dataset in jurisdiction.datasets}
    return {dataset: baseline for dataset, baseline in found.items() if baseline is not None}
