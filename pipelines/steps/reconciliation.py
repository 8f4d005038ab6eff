"""RECONCILIATION: what a market's release cannot account for, counted from its history when it is published.

Three counts and a check: staged rows that link to no company; records that name another subject under an unchanged
key; rules that read the absence of datasets that were never loaded; companies whose registry status means another
status than the one served, with nothing that says why. All follow from declarations (`Table.subjects`,
`Jurisdiction.absence_rules`, `registry_statuses`, `company_tables`). Does not belong here: the queries
(`warehouse.history.reconciliation`), or showing the figures (`reporting`, `api`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import polars as pl

from connectors.contract.dataset import AbsenceRule, Jurisdiction
from connectors.contract.pieces import Signal
from pipelines.workspace import staged_tables
from warehouse.history.history import MarketHistory
from warehouse.history.reconciliation import StatusGroup
from warehouse.schema.market_state import Reconciliation, RuleWithoutData, UnexplainedStatus
from warehouse.schema.tables import BY_NAME
from warehouse.schema.types import Table

IN_PART_MARK: Final = "in part"  # datasets of which no full snapshot was ever applied
OTHER_SUBJECT: Final = "other_subject"  # signal: records name another subject under their unchanged key
NO_DATA: Final = "rule_without_data"  # signal: a rule leaves rows undecided, as what it reads was never loaded
_EXAMPLES: Final = 5


@dataclass(frozen=True, slots=True)
class LoadedTables:
    """Staged tables of which any dataset was loaded, and those of them that were never loaded in full."""

    loaded: frozenset[str]
    in_part: frozenset[str] = frozenset()


def read_loaded_tables(jurisdiction: Jurisdiction, history: MarketHistory) -> LoadedTables:
    """What snapshots a history has applied. A history of an earlier version counts as loaded in full."""
    partial = history.recorded_keys(IN_PART_MARK)
    loaded = [dataset for dataset in jurisdiction.datasets if history.baseline_instant(dataset.key) is not None]
    names = frozenset(name for dataset in loaded for name in dataset.staged_tables)
    full = {name for dataset in loaded if dataset.key not in partial for name in dataset.staged_tables}
    return LoadedTables(names, names - full)


def record_completeness(history: MarketHistory, complete: Mapping[str, bool]) -> None:
    """Records whether datasets were ever loaded in full; to be called before their watermarks advance.

    complete: of the datasets with a snapshot at this instant, whether one of them is complete.
    """
    for dataset, is_complete in complete.items():
        if is_complete:
            history.forget_step(IN_PART_MARK, dataset)
        elif history.baseline_instant(dataset) is None:
            history.record_step(IN_PART_MARK, dataset)


def rules_without_data(jurisdiction: Jurisdiction, tables: LoadedTables) -> list[AbsenceRule]:
    """The rules of a market that decide nothing, as no dataset that they read was loaded."""
    return [rule for rule in jurisdiction.absence_rules if not rule.is_answered_by(tables.loaded, tables.in_part)]


def undecided_signals(rules: Sequence[AbsenceRule], tables: Mapping[str, pl.DataFrame]) -> Iterator[Signal]:
    """A signal per rule that leaves rows of these shared tables undecided."""
    for rule in rules:
        rows = tables[rule.table].filter(rule.undecided)
        if not rows.is_empty():
            examples = rows["company_id"].unique().sort().head(_EXAMPLES)
            yield Signal(rule.reads[0].key, NO_DATA, rule.name, rows.height, tuple(examples))


def other_subject_signals(
    history: MarketHistory, dataset: str, tables: Iterable[Table], instant: datetime
) -> Iterator[Signal]:
    """A signal per table with records that name another subject since a snapshot of this instant."""
    for table in tables:
        count, companies = history.companies_of_changed_subjects(table, instant) if table.subjects else (0, ())
        if count:
            yield Signal(dataset, OTHER_SUBJECT, table.name, count, tuple(companies)[:_EXAMPLES])


def reconcile_market(jurisdiction: Jurisdiction, history: MarketHistory) -> Reconciliation:
    """Counts what the current state of a market cannot account for; every dataset states its numbers, 0 too."""
    tables = staged_tables(jurisdiction)
    concerned = [tables[name] for name in sorted(jurisdiction.company_tables & tables.keys())]
    return Reconciliation(
        _by_dataset(jurisdiction, history.unlinked_row_counts(concerned)),
        _by_dataset(jurisdiction, history.changed_subject_counts(tables.values())),
        tuple(
            RuleWithoutData(
                rule.name,
                tuple(dataset.key for dataset in rule.reads),
                history.count_current_rows(BY_NAME[rule.table], rule.undecided),
            )
            for rule in sorted(
                rules_without_data(jurisdiction, read_loaded_tables(jurisdiction, history)), key=lambda rule: rule.name
            )
        ),
        tuple(unexplained_statuses(jurisdiction, history.status_groups() if jurisdiction.registry_statuses else ())),
    )


def _by_dataset(jurisdiction: Jurisdiction, counts: Mapping[str, int]) -> dict[str, int]:
    return {
        dataset.key: sum(counts.get(name, 0) for name in dataset.staged_tables) for dataset in jurisdiction.datasets
    }


def unexplained_statuses(jurisdiction: Jurisdiction, groups: Sequence[StatusGroup]) -> Iterator[UnexplainedStatus]:
    """Groups of companies without a reason whose registry status means another status than the one served.

    Another source that decided the status (`status_source` is none of the register's own datasets) explains it.
    """
    own = jurisdiction.field_precedence.get("status", ())
    found: dict[tuple[str, str], UnexplainedStatus] = {}
    for group in groups:
        meaning = jurisdiction.registry_statuses.get(group.registry_status.casefold())
        if meaning is None or meaning == group.served or (group.source is not None and group.source not in own):
            continue
        one = UnexplainedStatus(group.registry_status, meaning, group.served, group.companies, group.examples)
        other = found.get(one.key)
        if other is not None:  # the same word and status by another of the register's datasets
            examples = tuple(sorted({*other.examples, *one.examples})[:_EXAMPLES])
            one = replace(one, companies=one.companies + other.companies, examples=examples)
        found[one.key] = one
    yield from found.values()
