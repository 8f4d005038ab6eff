"""One news item of a company through several doors is one row, and keeps the id it was published under.

Two items are one where they come through different doors (registers, or wires that one register reads) within
ten minutes and their titles agree (docs/formats/news.md 2.13). What was published leads: an item once counted to a
row stays with it, whatever comes later, so that neither a door that opens late nor one that comes first the next
time makes a second event. An item of a register that tells no headline (`Jurisdiction.untitled`) is one with the
only release of its window. Does not belong here: languages and corrections of one source
(`connectors.news.grouping`), or which items are events (`news_events`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import polars as pl
from rapidfuzz import fuzz

WINDOW: Final = timedelta(minutes=10)
AGREEING: Final = 90  # token-set ratio of two titles
NEAREST: Final = 32  # releases that one item is compared with: a flood in one minute costs no more than that
_TOKENS: Final = 3  # a shorter title is found inside many others
_WORD: Final = re.compile(r"[^\W_]+")
_FIGURE: Final = re.compile(r"\d")
_PLACE, _MEMBER, _RELEASE = "_place", "_member", "_release"

Words = tuple[str, ...]
Door = tuple[str, str | None]  # register and publisher: one register may read several wires


def told_once(
    items: pl.DataFrame, published: pl.DataFrame, untitled: frozenset[str] = frozenset()
) -> pl.DataFrame:
    """NEWS rows, each release of a company once.

    Args:
        items: NEWS rows of some companies as their registers give them, one per register and release.
        published: the NEWS rows that are known of these companies.
        untitled: registers whose titles are no headlines.
    """
    if items.is_empty():
        return items
    known = _remembered(items, published)
    return _joined(known.with_columns(_attached(known, untitled)), published).select(items.columns)


def same_title(one: Words, other: Words) -> bool:
    """Whether the words of two titles are one release's. Figures that contradict each other tell releases apart."""
    if min(len(one), len(other)) < _TOKENS:
        return one == other
    figures, others = ({word for word in title if _FIGURE.search(word)} for title in (one, other))
    if not (figures <= others or others <= figures):
        return False
    return fuzz.token_set_ratio(" ".join(one), " ".join(other), score_cutoff=AGREEING) >= AGREEING


def words(title: str) -> Words:
    """The words of a title as they are compared."""
    return tuple(_WORD.findall(title.casefold()))


def _remembered(items: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Items with the id of the published row that one of their parts was counted to; of several the earliest."""
    known = _members(published).select(
        "company_id", _MEMBER, pl.col("news_id").alias(_RELEASE), "published_at"
    )
    placed = items.with_row_index(_PLACE)
    found = (
        _members(placed)
        .select(_PLACE, "company_id", _MEMBER)
        .join(known, on=["company_id", _MEMBER])
        .sort("published_at", _RELEASE)
        .unique(_PLACE, keep="first", maintain_order=True)
    )
    return placed.join(found.select(_PLACE, _RELEASE), on=_PLACE, how="left", maintain_order="left")


def _members(rows: pl.DataFrame) -> pl.DataFrame:
    """A row per item that tells a row; one published before these were kept is told by itself."""
    own = pl.concat_list(pl.concat_str("register", pl.lit(":"), "native_id"))
    return rows.with_columns(pl.coalesce("told_by", own).alias(_MEMBER)).explode(_MEMBER)


def _attached(rows: pl.DataFrame, untitled: frozenset[str]) -> pl.Series:
    """The id of each item's release: as remembered, else of a release of other registers, else its own."""
    found = dict(rows.select(_PLACE, pl.coalesce(_RELEASE, "news_id")).iter_rows())
    several = pl.struct("register", "publisher").n_unique().over("company_id") > 1
    undecided = pl.col(_RELEASE).is_null().any().over("company_id")
    for _, group in rows.filter(several & undecided).group_by("company_id", maintain_order=True):
        found.update(_company(group, untitled))
    return pl.Series(_RELEASE, [found[place] for place in rows[_PLACE]], dtype=pl.String)


@dataclass(slots=True, order=True)
class _Release:
    """One release while a company's items are gone through. is_untitled: no door has told its headline."""

    published_at: datetime
    release: str
    doors: set[Door] = field(compare=False)
    titles: list[Words] = field(compare=False)
    is_untitled: bool = field(compare=False)

    def takes(self, door: Door, title: Words) -> bool:
        return door not in self.doors and any(same_title(title, one) for one in self.titles)

    def joins(self, told: _Release) -> None:
        """Counts what is told to this release."""
        self.doors |= told.doors
        self.titles += told.titles
        self.is_untitled = self.is_untitled and told.is_untitled


def _company(rows: pl.DataFrame, untitled: frozenset[str]) -> dict[int, str]:
    """Of one company: place of each undecided item -> the id of its release, by their order in time."""
    order = rows.sort("published_at", "register", "native_id")
    columns = (_PLACE, _RELEASE, "news_id", "published_at", "register", "publisher", "title")
    items = list(order.select(columns).iter_rows())
    releases: dict[str, _Release] = {}
    for _, release, _, at, register, publisher, title in items:
        if release is not None:
            none = _Release(at, release, set(), [], is_untitled=True)
            told = _Release(at, release, {(register, publisher)}, [words(title)], register in untitled)
            releases.setdefault(release, none).joins(told)
    by_time = sorted(releases.values())
    found: dict[int, str] = {}
    for place, release, own, at, register, publisher, title in items:
        if release is None:
            told = _Release(at, own, {(register, publisher)}, [words(title)], register in untitled)
            found[place] = _taken(by_time, told).release
    return found


def _taken(by_time: list[_Release], told: _Release) -> _Release:
    """The nearest release that takes what is told, or a new one of it."""
    near = sorted(
        _near(by_time, told.published_at),
        key=lambda one: (abs(one.published_at - told.published_at), one.release),
    )
    (door,), (title,) = told.doors, told.titles
    one = next((one for one in near if one.takes(door, title)), None) or _only(near, told, door)
    if one is None:
        insort(by_time, told)
        return told
    one.joins(told)
    return one


def _only(near: list[_Release], told: _Release, door: Door) -> _Release | None:
    """Of a release with a headline and one without, that are alone, each is the other."""
    able = [one for one in near if one.is_untitled != told.is_untitled and door not in one.doors]
    return able[0] if len(able) == 1 else None


def _near(by_time: list[_Release], at: datetime) -> list[_Release]:
    """Releases within the window around an instant, the nearest to either side."""
    middle = bisect_left(by_time, at, key=lambda one: one.published_at)
    around = by_time[max(middle - NEAREST // 2, 0) : middle + NEAREST // 2]
    return [one for one in around if abs(one.published_at - at) <= WINDOW]


def _joined(rows: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """One row per release: in the words of the register that published it, else of the first that told it."""
    leads = published.select(
        "company_id",
        pl.col("news_id").alias(_RELEASE),
        pl.col("register").alias("_lead"),
        pl.col("native_id").alias("_native"),
    )
    key = ["company_id", _RELEASE]
    told = _members(rows).group_by(key).agg(pl.col(_MEMBER).unique().sort().alias("told_by"))
    first = (
        rows.drop("told_by")
        .join(leads, on=key, how="left")
        .sort(
            *key,
            (pl.col("register") != pl.col("_lead")).fill_null(value=False),
            "published_at",
            "register",
            "native_id",
        )
        .unique(key, keep="first", maintain_order=True)
    )
    return first.join(told, on=key, how="left").with_columns(
        pl.col(_RELEASE).alias("news_id"), pl.coalesce("_native", "native_id").alias("native_id")
    )
