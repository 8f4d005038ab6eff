"""What a holder's statements said between two known states: each is an observation of its own (CONTRACT 4.6).

Two notices that arrive together are two steps, not one from before the first to after the second; an exit and a
return are two as well. Does not belong here: which step is a crossing (`ownership_events`), or what the statements
are (`ownership_spans`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, Final

import polars as pl

from pipelines.steps.documents import Row
from pipelines.steps.lineage import STATE
from warehouse.schema.tables import OWNERS

SPANS: Final = "owners_earlier"  # of an image: OWNERS rows of earlier days, with `valid_to`
_UNTIL: Final = "valid_to"


class Passages:
    """The earlier spans of an image by holder."""

    def __init__(self, image: Mapping[str, pl.DataFrame]) -> None:
        self._spans: dict[tuple[str, str], list[Row]] = defaultdict(list)
        rows = image.get(SPANS)
        for row in [] if rows is None else rows.sort("as_of").iter_rows(named=True):
            self._spans[row["company_id"], row["holder_id"]].append(row)

    def of(self, row: Row) -> Iterator[Row]:
        """The row as its steps: of a holder known before each later statement of the same register, then the row.

        `row`: an owner now, with the state before as `…_before`, `register` and `_baseline`. A statement that the
        source made before the baseline is nobody's news.
        """
        before: dict[str, Any] = {}
        for step in self._steps(row):
            yield {**row, **{name: step[name] for name in OWNERS.names}, **before}
            before = {f"{name}_before": step[name] for name in STATE}
        yield {**row, **before}

    def _steps(self, row: Row) -> Iterator[Row]:
        """What stood between the state before and now; where nothing did, that what stood before had ended."""
        start = row["as_of_before"]
        if row["_gone"] or start is None:
            return
        last: Row | None = None
        for span in self._spans.get((row["company_id"], row["holder_id"]), ()):
            if span["as_of"] >= row["as_of"]:
                break
            if span["as_of"] > start:
                yield from _ended(last, span)
                if _is_heard(span, row):
                    yield span
            # a statement of another register is no step, and no end of one
            last = span if span[_UNTIL] > start and _is_of(span, row) else None
        yield from _ended(last, row)


def _ended(span: Row | None, following: Row) -> Iterator[Row]:
    """What stood as it ended, where that was before the next statement; a renewal may leave a day between."""
    if span is None:
        return
    is_renewed = _native(span) != _native(following)
    if span[_UNTIL] + timedelta(days=is_renewed) < following["as_of"]:
        yield {**span, "ended_on": span[_UNTIL]}


def _native(row: Row) -> str:
    return json.loads(row["sources"])[0]["native_id"]


def _is_heard(span: Row, row: Row) -> bool:
    return span["observed_at"] > row["_baseline"] and _is_of(span, row)


def _is_of(span: Row, row: Row) -> bool:
    return span["sources"].startswith(f'[{{"register":"{row["register"]}"')
