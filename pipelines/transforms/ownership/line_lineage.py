"""Tracks which line of owners a record was in before: lines join and split without any change in the world.

Belongs here: the state to compare a line with, and which records a line's holder has lost. Does not belong
here: who is one holder (`holders.resolve`), or which difference is a crossing (`events.ownership`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

import polars as pl

from pipelines.transforms.differences import Row, TableDiffLike
from pipelines.transforms.ownership.owners import SHARE

STATE: Final = (*SHARE, "ended_on", "as_of")
_STATED: Final = tuple(name for name in STATE if name != "as_of")
_NAME: Final = ("company_id", "holder_id", "sources")

Record = tuple[str, str, str]  # company, register, native id


class OwnerLineage:
    """The lines of one difference of owners by their records, before and after."""

    def __init__(self, owners: TableDiffLike, holdings: TableDiffLike | None = None) -> None:
        """`holdings`: the difference of the records themselves, with former states of non-deciding records."""
        self._altered: dict[Record, Row] | None = None
        if holdings is not None:
            rows = holdings.changed_before.iter_rows(named=True)
            self._altered = {(row["company_id"], row["register"], row["native_id"]): row for row in rows}
        former = pl.concat([owners.removed, owners.changed_before]).select(*_NAME, *STATE)
        # a company without known rows has no former lines
        now = pl.concat([owners.added, owners.changed_after]).select(_NAME)
        now = now.join(former.select("company_id").unique(), on="company_id", how="semi")
        self._lines: dict[tuple[str, str], Row] = {}
        self._before: dict[Record, tuple[Row, float | None]] = {}
        for line in former.iter_rows(named=True):
            self._lines[line["company_id"], line["holder_id"]] = line
            self._before |= {record: (line, share) for record, share in _line_records(line)}
        self._after: dict[Record, str] = {
            record: line["holder_id"] for line in now.iter_rows(named=True) for record, _ in _line_records(line)
        }

    def has_successor(self, row: Row) -> bool:
        """True if a record of a line is in another line now."""
        return any(self._is_in_other_line(record, row["holder_id"]) for record, _ in _line_records(row))

    def missing(self, row: Row) -> set[str]:
        """Registers of the records that a line's holder had and that are in no line any more."""
        lines = [self._before[record][0] for record, _ in _line_records(row) if record in self._before]
        own = self._lines.get((row["company_id"], row["holder_id"]))
        had = {record for line in (*lines, *([own] if own else [])) for record, _ in _line_records(line)}
        # looped: subtracting a mapping's keys from a set would iterate over all of them
        return {record[1] for record in had if record not in self._after}

    def before(self, row: Row) -> Row | None:
        """The former state of the record that decides a line's share now, if it was in another line.

        None: compare with the line's own former state.
        """
        decider, *others = [record for record, _ in _line_records(row)]
        if decider not in self._before:
            own = self._lines.get((row["company_id"], row["holder_id"]))
            found = [self._before[record][0] for record in others if record in self._before]
            return None if own or not found else found[0]
        line, share = self._before[decider]
        first = next(_line_records(line))[0]
        if line["holder_id"] == row["holder_id"] and not self._is_in_other_line(first, row["holder_id"]):
            return None
        return line if decider == first else {**line, **self._previous_statement(decider, row, share)}

    def _previous_statement(self, record: Record, row: Row, share: float | None) -> Row:
        """The former state of a record that did not decide; without `holdings` only its exact share is known."""
        if self._altered is None:
            return {} if share is None else _exact_share(share)
        # an unchanged record has the same values now
        told = self._altered.get(record, row)
        return {name: told[name] for name in _STATED}

    def _is_in_other_line(self, record: Record, holder: str) -> bool:
        return self._after.get(record, holder) != holder


def _line_records(line: Row) -> Iterator[tuple[Record, float | None]]:
    """The records of a line with their shares, the deciding one first."""
    for source in json.loads(line["sources"]):
        yield (line["company_id"], source["register"], source["native_id"]), source["pct"]


def _exact_share(share: float) -> Row:
    """State of a record that did not decide: only its share is stored (`owners`)."""
    told = Decimal(str(share))
    return {"basis": "exact", "pct": told, "pct_min": told, "pct_max": told}
