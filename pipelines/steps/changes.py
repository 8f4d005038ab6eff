"""What a comparison of two known states hands to the event steps, and what of it may be heard.

Belongs here: the shape of a difference, and the rules of silence (docs/architecture.md 6). Does not belong
here: how states are compared (`warehouse.history`) or what one kind of event says (`*_events`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

import polars as pl

SILENT_MONTHS: Final = 24  # periods that ended longer before the baseline are nobody's news


class Difference(Protocol):
    """One table's difference between two known states; frames have the table's columns.

    `known`: of the companies table, the company ids that were known before.
    """

    @property
    def added(self) -> pl.DataFrame: ...
    @property
    def removed(self) -> pl.DataFrame: ...
    @property
    def changed_before(self) -> pl.DataFrame: ...
    @property
    def changed_after(self) -> pl.DataFrame: ...
    @property
    def known(self) -> pl.Series: ...


Differences = Mapping[str, Difference]  # by table
Image = Mapping[str, pl.DataFrame]  # all rows of the touched companies after the change, by table


@dataclass(frozen=True, slots=True)
class Occasion:
    """When a change was seen, and which datasets may speak.

    `baselines`: by dataset, the instant of its first edition. `late`: datasets whose edition of this
    instant is not newer than what was known of them. `linked`: (company_id, dataset, lost) of companies that a
    link has given rows of a dataset or taken some from, where nothing happened in the world; a row that it took
    from one company and gave to another counts as lost for both.
    """

    instant: datetime
    baselines: Mapping[str, datetime]
    late: frozenset[str] = frozenset()
    linked: pl.DataFrame | None = None

    def speaking(self) -> pl.DataFrame:
        """The datasets whose changes are events now, with their baselines."""
        rows = [
            (dataset, baseline)
            for dataset, baseline in self.baselines.items()
            if baseline < self.instant and dataset not in self.late
        ]
        schema = {"_register": pl.String, "_baseline": pl.Datetime("us", "UTC")}
        return pl.DataFrame(rows, schema=schema, orient="row")


def audible(rows: pl.DataFrame, register: str, known: pl.Series, occasion: Occasion) -> pl.DataFrame:
    """Rows of companies known before, told by a dataset that may speak; adds `_baseline`."""
    of_known = rows.join(known.rename("company_id").to_frame().unique(), on="company_id", how="semi")
    heard = of_known.join(occasion.speaking(), left_on=register, right_on="_register", how="inner")
    return heard if occasion.linked is None else _said(heard, register, occasion.linked, occasion.instant)


def _said(rows: pl.DataFrame, register: str, linked: pl.DataFrame, instant: datetime) -> pl.DataFrame:
    """Not what a link has found of before the baseline: nobody has said that now.

    Where a link has lost rows, only what was said at this instant: the rest differs by the loss.
    """
    marks = linked.group_by("company_id", "dataset").agg(_lost=pl.col("lost").any())
    marked = rows.join(
        marks, left_on=["company_id", register], right_on=["company_id", "dataset"], how="left"
    )
    new = pl.col("observed_at") > pl.col("_baseline")
    new &= ~pl.col("_lost") | (pl.col("observed_at") >= instant)
    return marked.filter(pl.col("_lost").is_null() | new).drop("_lost")


def lost(occasion: Occasion) -> frozenset[tuple[str, str]]:
    """Companies and the datasets of which a link has taken rows from them."""
    if occasion.linked is None:
        return frozenset()
    return frozenset(occasion.linked.filter("lost").select("company_id", "dataset").iter_rows())


def recent(day: pl.Expr) -> pl.Expr:
    """Whether a period ended late enough to be told of, or a document came so; needs `_baseline`."""
    limit = pl.col("_baseline").dt.date().dt.offset_by(f"-{SILENT_MONTHS}mo")
    return day >= limit
