"""What a holder's statements said between two known states: each is an observation of its own (CONTRACT 4.6).

Two notices that arrive together are two steps, not one from before the first to after the second. Does not
belong here: which step is a crossing (`ownership_events`), or what the statements are (`ownership_spans`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

import polars as pl

from pipelines.steps.documents import Row
from pipelines.steps.lineage import STATE
from warehouse.schema.tables import OWNERS

SPANS: Final = "owners_earlier"  # of an image: OWNERS rows of earlier days, with `valid_to`


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
        for span in self._spans.get((row["company_id"], row["holder_id"]), ()):
            if self._is_between(span, row):
                step = {**row, **{name: span[name] for name in OWNERS.names}, **before}
                before = {f"{name}_before": span[name] for name in STATE}
                yield step
        yield {**row, **before}

    @staticmethod
    def _is_between(span: Row, row: Row) -> bool:
        start = row["as_of_before"]
        if row["_gone"] or start is None or span["observed_at"] <= row["_baseline"]:
            return False
        told_by = f'[{{"register":"{row["register"]}"'
        return start < span["as_of"] < row["as_of"] and span["sources"].startswith(told_by)
