"""What a retraction changes in a history: the state of a replay without the batches becomes known at its instant.

What differs from the state of before is merged as of the retraction, and becomes events like any other difference:
they compensate what was told of the batches. Nothing that was known or published before is changed. Documents, news
and acts that the batches had made late-arriving are told now. Does not belong here: the replay (`replay`), which
batches are retracted and by whom (`retract`), or the SQL (`warehouse.history.adoption`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

import polars as pl

from connectors.contract.dataset import Jurisdiction
from pipelines.steps.applied_batches import FIRST_LOAD_MARK
from pipelines.steps.apply_history import MarketRules, load_rules
from pipelines.steps.normalise import CHUNK
from pipelines.steps.reconciliation import IN_PART_MARK
from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.event_rows import build_event_rows
from pipelines.transforms.events.filing import returned_filing_events
from pipelines.transforms.events.payload import event_frame
from pipelines.workspace import Workspace
from warehouse.history.adoption import ReplayedState
from warehouse.history.history import MarketHistory
from warehouse.schema.retractions import RETRACTED_MARK, BatchRetraction
from warehouse.schema.tables import COMPANIES, TABLES

# Marks of a history that follow from what is in use. What was applied when, and together with what, stays as it was:
# a rebuild replays it until the retraction.
_ADOPTED_MARKS: Final = (FIRST_LOAD_MARK, IN_PART_MARK)
# between states: only the difference is told
_TRANSITIONS: Final = ("status.changed", "ownership.changed", "company.changed")


@dataclass(frozen=True, slots=True)
class StateChanges:
    """What a retraction changes: number of companies with any difference, those that disappear, rows by table.

    rows: added, removed and changed ones. events: by type, those that were never published.
    """

    companies: int = 0
    lost: tuple[str, ...] = ()
    rows: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    events: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReplayedFile:
    """The history file of a replay without the batches, and what a replay with them says.

    companies: those that the retraction concerns; None: all that differ. derived_ids: of the events derived with them.
    """

    path: Path
    companies: pl.Series | None = None
    derived_ids: pl.Series = field(default_factory=lambda: pl.Series("event_id", [], pl.String))


class PreviewEndError(Exception):
    """Ends a preview, so that its transaction is rolled back."""


def recorded_retractions(workspace: Workspace, jurisdiction: Jurisdiction) -> list[BatchRetraction]:
    """Every retraction of batches of a market, oldest first, as RAW has them."""
    found = {one for dataset in jurisdiction.datasets for one in workspace.raw_archive.retractions(dataset.key)}
    return sorted(found, key=lambda one: (one.at, one.batches))


def adopt_replayed_state(
    workspace: Workspace, jurisdiction: Jurisdiction, replayed: ReplayedFile, retraction: BatchRetraction
) -> StateChanges:
    """Makes the state in a replay's history file the current one as of a retraction, in one transaction."""
    with workspace.open_history(jurisdiction.code) as history:
        rules = load_rules(workspace, jurisdiction, history)
        with history.adopting(replayed.path, retraction.at, _ADOPTED_MARKS, replayed.companies) as state:
            changes = _merge_state(workspace, history, rules, state, retraction, replayed.derived_ids)
            history.record_step(RETRACTED_MARK, retraction.mark)
            workspace.on_step("retraction merged")
    workspace.on_step("retraction applied")
    return changes


def preview_replayed_state(
    workspace: Workspace, jurisdiction: Jurisdiction, replayed: ReplayedFile, retraction: BatchRetraction
) -> StateChanges:
    """What `adopt_replayed_state` would change; changes nothing."""
    changes = StateChanges()
    with workspace.open_history(jurisdiction.code) as history:
        rules = load_rules(workspace, jurisdiction, history)
        adopted = history.adopting(replayed.path, retraction.at, companies=replayed.companies)
        with suppress(PreviewEndError), adopted as state:
            changes = _merge_state(workspace, history, rules, state, retraction, replayed.derived_ids)
            raise PreviewEndError
    return changes


def _merge_state(
    workspace: Workspace,
    history: MarketHistory,
    rules: MarketRules,
    state: ReplayedState,
    retraction: BatchRetraction,
    derived_ids: pl.Series,
) -> StateChanges:
    instant = state.first_instant_from(retraction.at)
    before = history.outbox_events()["event_id"]
    rows: dict[str, Counter[str]] = {table.name: Counter() for table in TABLES}
    lost: list[str] = []
    context = EmissionContext(
        instant,
        instant,
        rules.baselines,
        per_company_datasets=rules.per_company_datasets,
        profile_sources=rules.profile_sources,
    )
    for start in range(0, len(state.companies), CHUNK):
        companies = state.companies[start : start + CHUNK]
        tables = {table.name: state.current_rows(table, companies) for table in TABLES}
        diffs = {table.name: history.merge_snapshot(table, tables[table.name], companies, instant) for table in TABLES}
        for table in TABLES:
            if table.valid_from:
                keys = state.versioned_keys(table, companies)
                history.replace_valid_times(table, state.earlier_rows(table, companies), keys, instant)
        history.add_to_outbox(build_event_rows(diffs, tables, context))
        history.add_to_outbox(event_frame(returned_filing_events(diffs, tables, context), instant))
        lost += diffs[COMPANIES.name].removed["company_id"].to_list()
        for name, diff in diffs.items():
            rows[name].update(added=diff.added.height, removed=diff.removed.height, changed=diff.changed_after.height)
    silenced = _silenced_events(workspace, state, retraction, instant)
    history.add_to_outbox(silenced.filter(~pl.col("event_id").is_in(derived_ids.implode())))
    told = history.outbox_events().filter(~pl.col("event_id").is_in(before.implode()))
    told = told.filter(~pl.col("event_id").is_in(workspace.ledger.known(told["event_id"]).implode()))
    return StateChanges(
        len(state.companies),
        tuple(sorted(lost)),
        {name: (found["added"], found["removed"], found["changed"]) for name, found in rows.items() if found.total()},
        dict(sorted(Counter(told["event_type"]).items())),
    )


def _silenced_events(
    workspace: Workspace, state: ReplayedState, retraction: BatchRetraction, instant: datetime
) -> pl.DataFrame:
    """Events of the retracted batches' datasets that the replay derives and were never published.

    The batches had made their files late-arriving, unless a replay with them derives the events, too. Transitions are
    left out: from the state of before, only the difference is one.
    """
    register = pl.col("data").str.json_path_match("$.source.register")
    derived = state.derived_events().filter(
        ~pl.col("event_type").is_in(_TRANSITIONS), register.is_in(retraction.datasets)
    )
    known = workspace.ledger.known(derived["event_id"])
    silenced = derived.filter(~pl.col("event_id").is_in(known.implode()))
    return silenced.with_columns(known_at=pl.lit(instant).cast(derived.schema["known_at"]))
