"""HISTORY: each pending snapshot gets its derived tables, is merged, and its differences become events.

`load_rules` reads what a run needs, `pending_parts` decides what is left to apply, `derive_tables` what a part
becomes, `merge_part` executes it. Each part is one transaction: rows, events in the outbox, the mark. Parts have no
company in common, so a kill between two leaves some companies updated and others not, each consistent; the next run
applies the rest first. Until then a release without an ingest (an erasure) publishes this mixed state. Does not
belong here: how tables are compared (`warehouse.history.history`), what the derived tables and events are
(`transforms`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Final

import polars as pl

from connectors.contract.dataset import Jurisdiction
from pipelines.steps.applied_batches import first_load_ends
from pipelines.steps.link_companies import LINKED
from pipelines.steps.normalise import EDITIONS, IMAGE_MARK, snapshot_key
from pipelines.transforms.differences import Frames
from pipelines.transforms.events.emission_rules import EmissionContext, ProfileSources
from pipelines.transforms.events.event_rows import build_event_rows
from pipelines.transforms.financials.versions import build_financial_versions
from pipelines.transforms.holders.resolve import with_person_marks
from pipelines.transforms.news import dedup
from pipelines.transforms.ownership.changed_subjects import with_changed_subjects
from pipelines.transforms.ownership.line_lineage import SPANS
from pipelines.transforms.ownership.owners import SourcePrecedence, holder_records, owner_lines
from pipelines.transforms.ownership.relations import build_relations
from pipelines.transforms.ownership.valid_time import build_valid_time_spans, companies_with_overwrites
from pipelines.workspace import Workspace
from warehouse import schema_render
from warehouse.decisions import DecisionLog
from warehouse.history.history import MarketHistory, TableDiff
from warehouse.schema.decisions import HolderDecision
from warehouse.schema.tables import (
    FILINGS,
    FINANCIALS,
    FINANCIALS_REPORTED,
    HOLDER_MARKS,
    HOLDINGS,
    HOLDINGS_EARLIER,
    NEWS,
    NORMALISED,
    NOTICES,
    OWNERS,
    RELATIONS,
    TABLES,
)
from warehouse.staged.snapshots import NormalisedSnapshot, SnapshotPart

HISTORY_MARK: Final = "history"
_COMPARED: Final = (FINANCIALS, HOLDINGS, OWNERS, RELATIONS, NEWS, NOTICES)  # derived with the rows of before


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """Changes made by the pending snapshots: rows added, removed and changed, by table."""

    market: str
    images: int = 0
    changes: Mapping[str, int] = field(default_factory=dict)
    events: int = 0


@dataclass(frozen=True, slots=True)
class MarketRules:
    """What applies to all snapshots of a run: precedence, news without a headline, decisions, first snapshots.

    baselines: by dataset, the instant of its first snapshot. per_company_datasets: those looked up company by company.
    first_loads: by dataset whose first load took several runs, the instant of its last snapshot. stake_codes: as in
    `Jurisdiction`. profile_sources: how the sources of profiles belong together.
    """

    source_precedence: SourcePrecedence
    untitled: frozenset[str]
    decisions: Sequence[HolderDecision] = ()
    baselines: Mapping[str, datetime] = field(default_factory=dict)
    per_company_datasets: frozenset[str] = frozenset()
    first_loads: Mapping[str, datetime] = field(default_factory=dict)
    stake_codes: Sequence[str] = ()
    profile_sources: ProfileSources = field(default_factory=ProfileSources)
    loaded_before: frozenset[str] = frozenset()


def load_rules(workspace: Workspace, jurisdiction: Jurisdiction, history: MarketHistory) -> MarketRules:
    """The rules of a market as declared, decided and recorded."""
    baselines = {dataset.key: history.baseline_instant(dataset.key) for dataset in jurisdiction.datasets}
    return MarketRules(
        SourcePrecedence(jurisdiction.field_precedence.get("ownership", ()), jurisdiction.dated_datasets),
        frozenset(jurisdiction.untitled_datasets),
        DecisionLog(workspace.layout).holder_decisions(jurisdiction.code),
        {dataset: baseline for dataset, baseline in baselines.items() if baseline is not None},
        frozenset(dataset.key for dataset in jurisdiction.datasets if dataset.is_per_company),
        first_load_ends(history),
        jurisdiction.stake_codes,
        ProfileSources(jurisdiction.profile_registers, frozenset(jurisdiction.seat_datasets)),
    )


def rules_of_snapshot(workspace: Workspace, rules: MarketRules, snapshot: NormalisedSnapshot) -> MarketRules:
    """The rules as the run that made a snapshot knew them: since a run died, datasets are loaded and decisions made."""
    known = snapshot.knowledge
    if known is None:
        return rules
    decisions = DecisionLog(workspace.layout).holder_decisions(snapshot.market, known.decisions)
    return replace(
        rules,
        decisions=decisions,
        baselines=known.baselines,
        first_loads=known.first_loads,
        loaded_before=known.loaded_before,
    )


def apply_snapshots(workspace: Workspace, jurisdiction: Jurisdiction, batch: str) -> ApplyResult:
    """Applies every pending snapshot of a market, oldest instant first."""
    changes, applied, events = Counter({table.name: 0 for table in TABLES}), 0, 0
    with workspace.open_history(jurisdiction.code) as history:
        rules = load_rules(workspace, jurisdiction, history)
        written, done = history.recorded_keys(IMAGE_MARK), history.recorded_keys(HISTORY_MARK)
        for snapshot in workspace.snapshot_store.all(jurisdiction.code):
            pending = pending_parts(snapshot, written, done)
            known = rules_of_snapshot(workspace, rules, snapshot)
            for part, mark in pending:
                tables, companies = part.read()
                with history.transaction():
                    diffs, rows = merge_part(history, known, tables, companies, snapshot)
                    history.add_to_outbox(rows)
                    history.record_step(HISTORY_MARK, mark)
                for name, diff in diffs.items():
                    changes[name] += diff.added.height + diff.removed.height + diff.changed_after.height
                events += rows.height
            applied += bool(pending)
            workspace.snapshot_store.drop(snapshot)
    result = ApplyResult(jurisdiction.code, applied, dict(changes), events)
    workspace.step_results.write(batch, f"history-{jurisdiction.code}", asdict(result))
    return result


def pending_parts(
    snapshot: NormalisedSnapshot, text: Collection[str], done: Collection[str]
) -> list[tuple[SnapshotPart, str]]:
    """The parts of a snapshot not applied yet, each with its mark; the last part's mark is the snapshot's own.

    written, done: marks of committed snapshots, and of applied parts and snapshots.
    """
    key = snapshot_key(snapshot.batch, snapshot.instant)
    if key in done or key not in text:
        return []
    marks = [*(f"{key}/{part.name}" for part in snapshot.parts[:-1]), key]
    return [(part, mark) for part, mark in zip(snapshot.parts, marks, strict=True) if mark not in done]


def merge_part(
    history: MarketHistory, rules: MarketRules, part: Frames, companies: pl.Series, snapshot: NormalisedSnapshot
) -> tuple[dict[str, TableDiff], pl.DataFrame]:
    """Merges a part of a snapshot, complete for these companies; returns its differences and its event rows.

    Its content is of the snapshot's instant and known since `known_at`: only history asks when it became known.
    """
    instant, known_at = snapshot.instant, snapshot.known_at
    former = {table.name: history.current_rows(table, companies) for table in _COMPARED}
    tables = derive_tables(part, former, companies, rules, instant)
    late = late_arriving_datasets(part[EDITIONS])
    diffs = {table.name: history.merge_snapshot(table, tables[table.name], companies, known_at) for table in TABLES}
    owners, former_owners = tables[OWNERS.name], former[OWNERS.name]
    in_place = companies_with_overwrites(owners, former_owners, rules.source_precedence)
    states = None if in_place.is_empty() else history.known_rows(HOLDINGS, in_place)
    holdings = tables[HOLDINGS.name], _earlier_holdings(part)
    spans = build_valid_time_spans(owners, holdings, rules.source_precedence, states, former_owners)
    history.replace_valid_times(OWNERS, spans.rows, spans.keys, known_at)
    loads = rules.per_company_datasets, rules.first_loads, rules.profile_sources, rules.loaded_before
    context = EmissionContext(instant, known_at, rules.baselines, late, part.get(LINKED), *loads)
    return diffs, build_event_rows(diffs, {**tables, SPANS: spans.rows}, context)


def derive_tables(
    part: Frames, previous_rows: Frames, companies: pl.Series, rules: MarketRules, instant: datetime
) -> dict[str, pl.DataFrame]:
    """The shared tables of a part: its own, and those derived from them and from the rows of before."""
    concerned = set(companies.filter(companies.is_in([made.company_id for made in rules.decisions])))
    dated = rules.source_precedence.dated
    marks = part.get(HOLDER_MARKS.name, schema_render.empty_frame(HOLDER_MARKS))
    former = previous_rows[HOLDINGS.name]
    holdings = with_changed_subjects(part[HOLDINGS.name], former, instant.date(), dated, marks)
    owners = previous_rows[OWNERS.name]
    records = holder_records(
        with_person_marks(holdings, marks),
        owners,
        [made for made in rules.decisions if made.company_id in concerned],
        _earlier_holdings(part),
    )
    precedence = rules.source_precedence
    return {
        **{table.name: part[table.name] for table in NORMALISED},
        HOLDINGS.name: holdings,
        FINANCIALS.name: build_financial_versions(
            part[FINANCIALS_REPORTED.name], part[FILINGS.name], previous_rows[FINANCIALS.name]
        ),
        OWNERS.name: owner_lines(records, owners, instant, precedence),
        RELATIONS.name: build_relations(records, previous_rows[RELATIONS.name], instant, precedence, rules.stake_codes),
        NEWS.name: dedup.deduplicate_news(part[NEWS.name], previous_rows[NEWS.name], rules.untitled),
        NOTICES.name: dedup.deduplicate_notices(part[NOTICES.name], previous_rows[NOTICES.name]),
    }


def _earlier_holdings(part: Frames) -> pl.DataFrame:
    return part.get(HOLDINGS_EARLIER.name, schema_render.empty_frame(HOLDINGS_EARLIER))


def late_arriving_datasets(editions: pl.DataFrame) -> frozenset[str]:
    """Datasets of which an instant has late-arriving snapshots alone."""
    found = list(editions.select("dataset", "late").iter_rows())
    return frozenset(key for key, is_late in found if is_late) - {key for key, is_late in found if not is_late}
