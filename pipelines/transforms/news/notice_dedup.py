"""De-duplicates notices: one act of an authority in two registers is one notice; the published one is kept.

An authority's own feed and a register of several countries' acts number the same act differently. They are
one if company, authority and kind of action agree, and either the fine is the same and the days are near, or
the day is the same and one of them states no fine. In doubt both are kept. Does not belong here: normalising
an authority's name (`connectors`), or which notices are events (`events.news`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final

import polars as pl

NEAR: Final = timedelta(days=60)  # a register reports an act weeks after the authority did
_ALIKE: Final = ("company_id", "authority", "authority_country", "action_type")
_ROW: Final = "_row"

Row = Mapping[str, Any]


def deduplicate_notices(notices: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """NOTICES rows, one per act of a company.

    Args:
        notices: NOTICES rows of some companies as their registers give them.
        published: the known NOTICES rows of these companies: these stay.
    """
    several = pl.col("register").n_unique().over(_ALIKE) > 1
    rows = notices.with_row_index(_ROW)
    doubtful = rows.filter(several)
    if doubtful.is_empty():
        return notices
    known = set(published.select("company_id", "notice_id").iter_rows())
    again = [
        place for _, group in doubtful.group_by(_ALIKE, maintain_order=True) for place in _duplicate_rows(group, known)
    ]
    return rows.filter(~pl.col(_ROW).is_in(again)).drop(_ROW)


def _duplicate_rows(group: pl.DataFrame, known: set[tuple[Any, ...]]) -> list[int]:
    """Duplicate rows of one group: the later of two, unless it was published."""
    rows = sorted(
        group.to_dicts(),
        key=lambda row: (not _is_known(row, known), row["observed_at"], row["register"], row["notice_id"]),
    )
    kept: list[Row] = []
    taken: set[tuple[str, str]] = set()  # (notice, register that also reported it)
    again: list[int] = []
    for row in rows:
        same = None if _is_known(row, known) else _matching_notice(row, kept, taken)
        if same is None:
            kept.append(row)
        else:
            taken.add((same["notice_id"], row["register"]))
            again.append(row[_ROW])
    return again


def _is_known(row: Row, known: set[tuple[Any, ...]]) -> bool:
    return (row["company_id"], row["notice_id"]) in known


def _matching_notice(row: Row, kept: list[Row], taken: set[tuple[str, str]]) -> Row | None:
    """The notice nearest in time of the same act from another register, if not yet matched by this register."""
    able = [
        one
        for one in kept
        if one["register"] != row["register"]
        and (one["notice_id"], row["register"]) not in taken
        and _is_same_act(row, one)
    ]
    return min(able, key=lambda one: (_time_apart(row, one), one["notice_id"]), default=None)


def _is_same_act(one: Row, other: Row) -> bool:
    if one["amount"] is None or other["amount"] is None:
        return _published_day(one) == _published_day(other)
    fines = {(row["amount"], row["currency"]) for row in (one, other)}
    return len(fines) == 1 and _time_apart(one, other) <= NEAR


def _time_apart(one: Row, other: Row) -> timedelta:
    return abs(_published_day(one) - _published_day(other))


def _published_day(row: Row) -> date:
    return row["published_at"].date()
