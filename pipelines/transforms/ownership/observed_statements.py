"""Reconstructs dated statements from registers that change their records in place: one per state seen in history.

A record of a group, a role or a person with significant control has a start day but not its former content,
which is known only from history. Belongs here: the day of each seen state. Does not belong here: the
resulting spans of a line (`valid_time`), or storing states (`warehouse.history.history`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import polars as pl

from pipelines.transforms.holders.resolve import SINGLE
from pipelines.transforms.ownership.owners import SHARE, SourcePrecedence

SEEN: Final = "known_from"
_RECORD: Final = ("company_id", "register", "native_id")

Record = Mapping[str, Any]
Key = tuple[str, str, str]  # company, register, native id


def companies_with_overwrites(lines: pl.DataFrame, previous_rows: pl.DataFrame, sources: SourcePrecedence) -> pl.Series:
    """Companies with a line of several records of which one is changed in place.

    `lines`, `previous_rows`: OWNERS rows now and before.
    """
    several = (
        pl.concat([lines, previous_rows]).filter(pl.col("reconciliation") != SINGLE).select("company_id", "sources")
    )
    found = {
        company
        for company, told in several.iter_rows()
        if any(source["register"] not in sources.dated for source in json.loads(told))
    }
    return pl.Series("company_id", sorted(found), dtype=pl.String)


def observed_statements(states: pl.DataFrame, sources: SourcePrecedence) -> dict[Key, list[Record]]:
    """The statements of records that are changed in place, oldest first, with `valid_from` set to the day of each.

    `states`: HOLDINGS rows with `known_from`, all versions ever current.
    """
    undated = states.filter(~pl.col("register").is_in(list(sources.dated)))
    rows = undated.sort(*_RECORD, SEEN).iter_rows(named=True)
    return {key: list(_distinct_statements(told)) for key, told in groupby(rows, key=itemgetter(*_RECORD))}


def _distinct_statements(states: Iterable[Record]) -> Iterator[Record]:
    """One statement per run of states with the same share: the last state, with the day of the first."""
    last: Record | None = None
    is_first = True
    for state in states:
        if last is None:
            last = {**state, "valid_from": state["valid_from"] or state[SEEN].date()}
        elif all(last[name] == state[name] for name in SHARE):
            corrected = state["valid_from"] if is_first else None
            last = {**state, "valid_from": corrected or last["valid_from"]}
        else:
            day = _change_day(state, last["valid_from"])
            if day > last["valid_from"]:
                yield last
                is_first = False
            last = {**state, "valid_from": day}
    if last is not None:
        yield last


def _change_day(state: Record, before: date) -> date:
    """The day of a changed share: the record's own if it moved, else the day seen, or of its end if earlier."""
    own = state["valid_from"]
    if own is not None and own > before:
        return own
    seen = state[SEEN].date()
    return max(before, min(seen, state["ended_on"] or seen))
