"""Intermediate states of a holder between two known states: each statement is compared on its own.

See docs/contract/contract.md 4.6.
Two notices that arrive together are two steps, not one from before the first to after the second; so are an
exit and a return. Does not belong here: which step is a crossing (`events.ownership`), or what the statements
are (`valid_time`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, Final

import polars as pl

from pipelines.transforms.differences import Row
from pipelines.transforms.ownership.line_lineage import STATE
from warehouse.schema.tables import OWNERS

SPANS: Final = "owners_earlier"  # of a snapshot: OWNERS rows of earlier days, with `valid_to`
EXACT: Final = ("exact", "derived")  # bases of a share without bounds
_UNTIL: Final = "valid_to"


class IntermediateStates:
    """The earlier spans of a snapshot by holder."""

    def __init__(self, snapshot: Mapping[str, pl.DataFrame]) -> None:
        self._spans: dict[tuple[str, str], list[Row]] = defaultdict(list)
        rows = snapshot.get(SPANS)
        for row in [] if rows is None else rows.sort("as_of").iter_rows(named=True):
            self._spans[row["company_id"], row["holder_id"]].append(row)

    def of(self, row: Row) -> Iterator[Row]:
        """The row as its steps: each later statement of the same register for a known holder, then the row itself.

        `row`: a current owner, with the former state as `…_before`, `register` and `_baseline`. Statements
        made before the baseline are skipped. After a statement without a share, the last stated share is
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
    return span["observed_at"] > row["_baseline"] and _is_same_register(span, row)


def _is_same_register(span: Row, row: Row) -> bool:
    return span["sources"].startswith(f'[{{"register":"{row["register"]}"')
