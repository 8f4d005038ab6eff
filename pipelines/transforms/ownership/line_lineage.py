"""The states that a line of owners is compared with: lines join and split without any change in the world.

Belongs here: which line a record was in before, which records a line's holder has lost, and the statements between
two known states. Two notices that arrive together are two steps, not one from before the first to after the second;
so are an exit and a return (docs/contract/contract.md 4.6). Does not belong here: who is one holder
(`holders.resolve`), what the statements are (`valid_time`), or which difference is a crossing (`events.ownership`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

import polars as pl

from pipelines.transforms.differences import Row, TableDiffLike
from pipelines.transforms.ownership.owners import SHARE
from warehouse.schema.tables import OWNERS

STATE: Final = (*SHARE, "ended_on", "as_of")
_STATED: Final = tuple(name for name in STATE if name != "as_of")
_NAME: Final = ("company_id", "holder_id", "sources")

Record = tuple[str, str, str]  # company, register, native id
SPANS: Final = "owners_earlier"  # of a snapshot: OWNERS rows of earlier days, with `valid_to`
EXACT: Final = ("exact", "derived")  # bases of a share without bounds
_UNTIL: Final = "valid_to"


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


class IntermediateStates:
    """The earlier spans of a snapshot by holder."""

    def __init__(self, snapshot: Mapping[str, pl.DataFrame]) -> None:
        self._spans: dict[tuple[str, str], list[Row]] = defaultdict(list)
        rows = snapshot.get(SPANS)
        for row in [] if rows is None else rows.sort("as_of").iter_rows(named=True):
            self._spans[row["company_id"], row["holder_id"]].append(row)

    def of(self, row: Row) -> Iterator[Row]:
        """The row as its steps: each later statement of the same register for a known holder, then the row itself.

        `row`: a current owner, with the former state as `…_before`, `register` and `_loaded`. Statements
        made before the dataset was loaded are skipped. After a statement without a share, the last stated share is
        compared (docs/formats/us.md 7.1).
        """
        before = self._last_stated_share(row)
        for step in self._statements_between(row):
            if step["basis"] is None and {**row, **before}["basis_before"] in EXACT:
                continue
            yield {**row, **{name: step[name] for name in OWNERS.names}, **before}
            before = _as_previous_columns(step)
        yield {**row, **before}

    def _last_stated_share(self, row: Row) -> dict[str, Any]:
        """For a former state without a share: the register's last exact share, if continuously valid until then."""
        start = row["as_of_before"]
        if row["_gone"] or start is None or row["basis_before"] is not None or row["ended_on_before"] is not None:
            return {}
        said: Row | None = None
        until = start
        for span in self._spans.get((row["company_id"], row["holder_id"]), ()):
            if span["as_of"] > start:
                break
            if until < span["as_of"] or not _is_same_register(span, row):
                said = None
            if _is_same_register(span, row) and span["basis"] in EXACT:
                said = span
            until = span[_UNTIL]
        return {} if said is None or until < start else _as_previous_columns(said)

    def _statements_between(self, row: Row) -> Iterator[Row]:
        """Statements between the former state and now; in a gap, the former one as ended."""
        start = row["as_of_before"]
        if row["_gone"] or start is None:
            return
        last: Row | None = None
        for span in self._spans.get((row["company_id"], row["holder_id"]), ()):
            if span["as_of"] >= row["as_of"]:
                break
            if span["as_of"] > start:
                yield from _ended_state(last, span)
                if _is_emittable(span, row):
                    yield span
            # a statement of another register is no step, and no end of one
            last = span if span[_UNTIL] > start and _is_same_register(span, row) else None
        yield from _ended_state(last, row)


def _as_previous_columns(state: Row) -> dict[str, Any]:
    return {f"{name}_before": state[name] for name in STATE}


def _ended_state(span: Row | None, following: Row) -> Iterator[Row]:
    """The span as ended, if it ended before the next statement; a renewal may leave a day between."""
    if span is None:
        return
    is_renewed = _native_id(span) != _native_id(following)
    if span[_UNTIL] + timedelta(days=is_renewed) < following["as_of"]:
        yield {**span, "ended_on": span[_UNTIL]}


def _native_id(row: Row) -> str:
    return json.loads(row["sources"])[0]["native_id"]


def _is_emittable(span: Row, row: Row) -> bool:
    return span["observed_at"] > row["_loaded"] and _is_same_register(span, row)


def _is_same_register(span: Row, row: Row) -> bool:
    return span["sources"].startswith(f'[{{"register":"{row["register"]}"')
