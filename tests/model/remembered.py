"""The pure functions of the steps, each computed once for the same input: worlds and their rebuilds repeat themselves.

Frames are told apart by identity, for frames with the same rows are the same object where these functions and
`plain_history` make them; an entry keeps what it is told apart by. Does not belong here: what the functions do
(`pipelines.steps`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final, TypeVar
from unittest.mock import patch

import polars as pl

from connectors.contract.dataset import SharedTables
from pipelines.steps import apply_history, normalise, schema_validation
from pipelines.steps.apply_history import MarketRules
from pipelines.steps.link_companies import LINKED
from pipelines.steps.normalise import EDITIONS
from pipelines.transforms.differences import Frames
from pipelines.transforms.news import dedup
from tests.model.plain_history import CompanyTables, PlainHistory
from tests.model.remembering import Remembered, by_content
from tests.pipelines import invented
from warehouse import schema_render
from warehouse.history.history import TableDiff
from warehouse.market_index import batches
from warehouse.schema.tables import NORMALISED, PASSING
from warehouse.staged.snapshots import NormalisedSnapshot

Made = TypeVar("Made")
Item = TypeVar("Item")


def _identities(frames: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    return tuple((name, id(frame)) for name, frame in frames.items())


_EMPTY: Final = {table.name: schema_render.empty_frame(table) for table in (*NORMALISED, *PASSING)}
_same_frame: Final = Remembered(lambda _name, rows: rows, lambda name, rows: (name, repr(rows.rows())), lambda *_: None)


def _all_shared_tables(present: Mapping[str, pl.LazyFrame], today: date) -> SharedTables:
    shared = invented.normalise(present, today)
    return _EMPTY | {name: _same_frame(name, rows) for name, rows in shared.items() if not rows.is_empty()}


_stretch: Final = Remembered(
    normalise.rows_of_stretch,
    lambda rows, start, snapshot: (id(rows), start, snapshot.instant, str(snapshot.scope)),
    lambda rows, *_: rows,
)
_named: Final = Remembered(
    normalise.with_company_ids, lambda _market, table, rows: (table.name, id(rows)), lambda *given: given[2]
)
# A mapping of rows, today: to_shared_tables of the market.
shared_tables: Final = Remembered(_all_shared_tables, lambda present, today: (_identities(present), today))
_days: Final = Remembered(schema_validation.without_far_future_days, lambda tables, today: (_identities(tables), today))
_far_days: Final = Remembered(
    schema_validation.far_future_counts, lambda table, rows, today: (table.name, id(rows), today)
)
_violations: Final = Remembered(
    schema_validation.table_violations,
    lambda table, rows, touched, today: (table.name, id(rows), tuple(touched), today),
)
_valid: Final = Remembered(
    schema_validation.require_valid, lambda tables, touched, today: (_identities(tables), tuple(touched), today)
)


@dataclass(frozen=True)
class _Merged:
    companies: Mapping[str, CompanyTables]
    diffs: dict[str, TableDiff]
    rows: pl.DataFrame


_tokens: Final[dict[str, int]] = {}  # by what the shared tables of a company hold


def _with_token(company: CompanyTables) -> CompanyTables:
    if company.token is not None:
        return company
    content = "".join(f"{name}{versions.content()}" for name, versions in sorted(company.tables.items()))
    return replace(company, token=_tokens.setdefault(hashlib.sha256(content.encode()).hexdigest(), len(_tokens) + 1))


def _merge(
    history: PlainHistory, rules: MarketRules, part: Frames, companies: pl.Series, snapshot: NormalisedSnapshot
) -> _Merged:
    diffs, rows = _merge_part(history, rules, part, companies, snapshot)  # type: ignore[arg-type]  # of the same shape
    merged = {company: _with_token(tables) for company, tables in history.tables_of(companies).items()}
    return _Merged(merged, diffs, rows)


def _merge_key(
    history: PlainHistory, rules: MarketRules, part: Frames, companies: pl.Series, snapshot: NormalisedSnapshot
) -> Any:
    small = {name: tuple(part[name].iter_rows()) for name in (EDITIONS, LINKED)}
    large = {name: frame for name, frame in part.items() if name not in small}
    loads = (tuple(sorted(found.items())) for found in (rules.baselines, rules.first_loads))
    known = *loads, rules.per_company_datasets
    former = tuple((company, tables.token) for company, tables in history.tables_of(companies).items())
    return former, known, _identities(large), *small.items(), snapshot.instant, snapshot.known_at


_merge_part: Final = apply_history.merge_part
# The frames of a part, by whose identity it is told apart
_merged: Final = Remembered(_merge, _merge_key, lambda _history, _rules, part, *_: part)


def remembered_merge_part(
    history: PlainHistory, rules: MarketRules, part: Frames, companies: pl.Series, snapshot: NormalisedSnapshot
) -> tuple[dict[str, TableDiff], pl.DataFrame]:
    """`apply_history.merge_part` over a plain history."""
    merged = _merged(history, rules, part, companies, snapshot)
    history.replace_tables(merged.companies)
    return merged.diffs, merged.rows


# What the tables of a part are derived from is the same in many parts, and of most worlds nothing.
_DERIVATIONS: Final = {
    (of, name): by_content(getattr(of, name))
    for of, name in (
        (apply_history, "with_changed_subjects"),
        (apply_history, "holder_records"),
        (apply_history, "build_financial_versions"),
        (apply_history, "owner_lines"),
        (apply_history, "build_relations"),
        (apply_history, "companies_with_overwrites"),
        (apply_history, "build_valid_time_spans"),
        (dedup, "deduplicate_news"),
        (dedup, "deduplicate_notices"),
    )
}


def map_in_turn(items: Generator[Item, None, None], work: Callable[[Item], Made]) -> Iterator[Made]:
    """`parallel_map` without threads: of three companies there is one part."""
    with closing(items):
        yield from map(work, items)


@contextmanager
def remembered_steps() -> Iterator[None]:
    """For the length of a block, the steps over plain histories remember what they computed, in this thread."""
    with (
        ExitStack() as derivations,
        patch.object(apply_history, "merge_part", remembered_merge_part),
        patch.object(normalise, "parallel_map", map_in_turn),
        patch.object(batches, "SETTLED_NANOSECONDS", -1),  # no other process writes
        patch.object(normalise, "rows_of_stretch", _stretch),
        patch.object(normalise, "with_company_ids", _named),
        patch.object(schema_validation, "far_future_counts", _far_days),
        patch.object(schema_validation, "table_violations", _violations),
        patch.object(schema_validation, "without_far_future_days", _days),
        patch.object(schema_validation, "require_valid", _valid),
    ):
        for (of, name), remembered in _DERIVATIONS.items():
            derivations.enter_context(patch.object(of, name, remembered))
        yield
