"""The pure functions of the steps, each computed once for the same input: worlds and their rebuilds repeat themselves.

Frames are told apart by identity, for frames with the same rows are the same object where these functions and
`plain_history` make them; an entry keeps what it is told apart by. Does not belong here: what the functions do
(`pipelines.steps`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import Any, Final, TypeVar
from unittest.mock import patch

import polars as pl

from connectors.contract.dataset import SharedTables
from pipelines.steps import apply_history, normalise, schema_validation
from pipelines.steps.apply_history import MarketRules
from pipelines.steps.link_companies import LINKED
from pipelines.steps.normalise import EDITIONS
from pipelines.transforms.differences import Frames
from tests.model.plain_history import PlainHistory, TableVersions
from tests.model.remembering import Remembered
from tests.pipelines import invented
from warehouse import schema_render
from warehouse.history.history import TableDiff
from warehouse.schema.tables import NORMALISED, PASSING
from warehouse.staged.snapshots import NormalisedSnapshot

Made = TypeVar("Made")
Item = TypeVar("Item")


def _identities(frames: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    return tuple((name, id(frame)) for name, frame in frames.items())


def _all_shared_tables(present: Mapping[str, pl.LazyFrame], today: date) -> SharedTables:
    shared = invented.normalise(present, today)
    empty = {table.name: schema_render.empty_frame(table) for table in (*NORMALISED, *PASSING)}
    return empty | shared


# A mapping of rows, today: to_shared_tables of the market.
shared_tables: Final = Remembered(_all_shared_tables, lambda present, today: (_identities(present), today))
_days: Final = Remembered(schema_validation.without_far_future_days, lambda tables, today: (_identities(tables), today))
_valid: Final = Remembered(
    schema_validation.require_valid, lambda tables, touched, today: (_identities(tables), tuple(touched), today)
)


@dataclass(frozen=True)
class _Merged:
    tables: Mapping[str, TableVersions]
    token: int
    diffs: dict[str, TableDiff]
    rows: pl.DataFrame


_tokens: Final = count(1)  # of states of the shared tables: the same token, the same rows


def _merge(
    history: PlainHistory, rules: MarketRules, part: Frames, companies: pl.Series, snapshot: NormalisedSnapshot
) -> _Merged:
    diffs, rows = _merge_part(history, rules, part, companies, snapshot)  # type: ignore[arg-type]  # of the same shape
    return _Merged(history.tables, next(_tokens), diffs, rows)


def _merge_key(
    history: PlainHistory, rules: MarketRules, part: Frames, companies: pl.Series, snapshot: NormalisedSnapshot
) -> Any:
    small = {name: tuple(part[name].iter_rows()) for name in (EDITIONS, LINKED)}
    large = {name: frame for name, frame in part.items() if name not in small}
    known = tuple(sorted(rules.baselines.items())), rules.per_company_datasets
    return (
        history.state.token,
        known,
        _identities(large),
        *small.items(),
        tuple(companies),
        snapshot.instant,
        snapshot.known_at,
    )


_merge_part: Final = apply_history.merge_part
_merged: Final = Remembered(_merge, _merge_key)


def remembered_merge_part(
    history: PlainHistory, rules: MarketRules, part: Frames, companies: pl.Series, snapshot: NormalisedSnapshot
) -> tuple[dict[str, TableDiff], pl.DataFrame]:
    """`apply_history.merge_part` over a plain history."""
    merged = _merged(history, rules, part, companies, snapshot)
    history.restore_tables(merged.tables, merged.token)
    return merged.diffs, merged.rows


def map_in_turn(items: Generator[Item, None, None], work: Callable[[Item], Made]) -> Iterator[Made]:
    """`parallel_map` without threads: of three companies there is one part."""
    with closing(items):
        yield from map(work, items)


@contextmanager
def remembered_steps() -> Iterator[None]:
    """For the length of a block, the steps over plain histories remember what they computed, in this thread."""
    with (
        patch.object(apply_history, "merge_part", remembered_merge_part),
        patch.object(normalise, "parallel_map", map_in_turn),
        patch.object(schema_validation, "without_far_future_days", _days),
        patch.object(schema_validation, "require_valid", _valid),
    ):
        yield
