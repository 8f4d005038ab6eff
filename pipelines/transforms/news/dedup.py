"""De-duplicates news and notices: what several channels or registers give is one row; the published one is kept.

Two news items are one if they come through different channels (registers, or wires that one register reads) within
ten minutes and their titles agree (docs/formats/news.md 2.13). Published rows take precedence: an item once
assigned to a row stays with it, so that neither a channel added later nor a changed order of arrival creates
a second event. An item of a register without headlines (`Jurisdiction.untitled`) is matched to the only
release of its window.

Notices: an authority's own feed and a register of several countries' acts number the same act differently. They
are one if company, authority and kind of action agree, and either the fine is the same and the days are near, or the
day is the same and one of them states no fine. In doubt both are kept. Does not belong here: languages and
corrections of one source (`connectors.news.grouping`), normalising an authority's name (`connectors`), or which rows
are events (`events.news`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

import polars as pl
from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from name_matching.folding import fold_text
from name_matching.legal_forms import FORMS

WINDOW: Final = timedelta(minutes=10)
AGREEING: Final = 90  # minimum token-set ratio of two titles
NEAREST: Final = 32  # releases compared with one item: bounds the cost of a flood in one minute
_TOKENS: Final = 3  # a shorter title would match inside many others
_FORMS: Final = frozenset(form for forms in FORMS.values() for form in forms)
# Of headlines that correct another one, or say the contrary of it
_TURNING: Final = frozenset(
    {"correction", "corrected", "correcting", "replacing", "replaces", "replacement", "rättelse", "korrigering"}
    | {"korrigert", "rettelse", "oikaisu", "korjaus", "not", "no", "inte", "ej", "ingen", "ikke", "ei", "cancels"}
    | {"cancelled", "canceled", "withdraws", "withdrawn", "terminates", "terminated", "postpones", "postponed"}
    | {"inställd", "ställer", "avlyst", "avlyser", "utsatt", "utsetter", "peruttu", "peruu", "peruuttaa", "lykätty"}
)
_LETTERS: Final = 5  # of a word, from which one wrong letter is a typo
_WORD: Final = re.compile(r"[^\W_]+")
_FIGURE: Final = re.compile(r"\d")
_PLACE, _MEMBER, _RELEASE = "_place", "_member", "_release"

Words = tuple[str, ...]
Door = tuple[str, str | None]  # register and publisher: one register may read several wires
NEAR: Final = timedelta(days=60)  # a register reports an act weeks after the authority did
_ALIKE: Final = ("company_id", "authority", "authority_country", "action_type")
_ROW: Final = "_row"
Row = Mapping[str, Any]


def deduplicate_news(
    items: pl.DataFrame, published: pl.DataFrame, untitled: frozenset[str] = frozenset()
) -> pl.DataFrame:
    """NEWS rows, one per release of a company.

    Args:
        items: NEWS rows of some companies as their registers give them, one per register and release.
        published: the known NEWS rows of these companies.
        untitled: registers without real headlines in their titles.
    """
    if items.is_empty():
        return items
    known = _with_known_release(items, published)
    return _merge_releases(known.with_columns(_release_ids(known, untitled)), published).select(items.columns)


def is_same_title(first: Words, second: Words) -> bool:
    """True if two titles are of one release.

    Contradicting figures, another word in one place, and a word that one alone has by which it corrects or denies the
    other, mean two.
    """
    if min(len(first), len(second)) < _TOKENS:
        return first == second
    figures, others = ({word for word in title if _FIGURE.search(word)} for title in (first, second))
    if not (figures <= others or others <= figures) or _differ_in_one_word(first, second):
        return False
    if _TURNING.isdisjoint(first) is not _TURNING.isdisjoint(second):
        return False
    return fuzz.token_set_ratio(" ".join(first), " ".join(second), score_cutoff=AGREEING) >= AGREEING


def _differ_in_one_word(first: Words, second: Words) -> bool:
    """True for an annual and an extraordinary meeting, CEO and CFO; not for another spelling, as corp and corporation.

    Wires carry the issuer's own headline: they cut it or add to it, and replace no word of it.
    """
    if len(first) != len(second):
        return False
    differing = [(fold_text(one), fold_text(other)) for one, other in zip(first, second, strict=True) if one != other]
    return len(differing) == 1 and not _is_spelling_of(*differing[0])


def _is_spelling_of(word: str, other: str) -> bool:
    """True if one word abbreviates the other or differs by a typo, or both are legal forms (Oyj, Corporation)."""
    if {word, other} <= _FORMS:
        return True
    short, long = sorted((word, other), key=len)
    letters = iter(long)
    is_abbreviated = short[:1] == long[:1] and all(letter in letters for letter in short)
    return is_abbreviated or (len(short) >= _LETTERS and OSA.distance(word, other) <= 1)


def title_words(title: str) -> Words:
    """The words of a title, normalised for comparison."""
    return tuple(_WORD.findall(title.casefold()))


def _with_known_release(items: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Items with the id of the published row that one of their members belongs to; the earliest if several."""
    known = _member_rows(published).select("company_id", _MEMBER, pl.col("news_id").alias(_RELEASE), "published_at")
    placed = items.with_row_index(_PLACE)
    found = (
        _member_rows(placed)
        .select(_PLACE, "company_id", _MEMBER)
        .join(known, on=["company_id", _MEMBER])
        .sort("published_at", _RELEASE)
        .unique(_PLACE, keep="first", maintain_order=True)
    )
    return placed.join(found.select(_PLACE, _RELEASE), on=_PLACE, how="left", maintain_order="left")


def _member_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per member item of a row; rows published before members were stored count as their own member."""
    own = pl.concat_list(pl.concat_str("register", pl.lit(":"), "native_id"))
    return rows.with_columns(pl.coalesce("told_by", own).alias(_MEMBER)).explode(_MEMBER)


def _release_ids(rows: pl.DataFrame, untitled: frozenset[str]) -> pl.Series:
    """The release id of each item: as published, else of a matching release of other channels, else its own."""
    found = dict(rows.select(_PLACE, pl.coalesce(_RELEASE, "news_id")).iter_rows())
    several = pl.struct("register", "publisher").n_unique().over("company_id") > 1
    undecided = pl.col(_RELEASE).is_null().any().over("company_id")
    for _, group in rows.filter(several & undecided).group_by("company_id", maintain_order=True):
        found.update(_assign_releases(group, untitled))
    return pl.Series(_RELEASE, [found[place] for place in rows[_PLACE]], dtype=pl.String)


@dataclass(slots=True, order=True)
class _NewsRelease:
    """A release during the matching of a company's items. is_untitled: no channel has given a headline."""

    published_at: datetime
    release: str
    doors: set[Door] = field(compare=False)
    titles: list[Words] = field(compare=False)
    is_untitled: bool = field(compare=False)

    def takes(self, door: Door, title: Words) -> bool:
        return door not in self.doors and any(is_same_title(title, one) for one in self.titles)

    def joins(self, told: _NewsRelease) -> None:
        """Adds an item's channels and titles to this release."""
        self.doors |= told.doors
        self.titles += told.titles
        self.is_untitled = self.is_untitled and told.is_untitled


def _assign_releases(rows: pl.DataFrame, untitled: frozenset[str]) -> dict[int, str]:
    """For one company: place of each unassigned item -> its release id, in order of time."""
    order = rows.sort("published_at", "register", "native_id")
    columns = (_PLACE, _RELEASE, "news_id", "published_at", "register", "publisher", "title")
    items = list(order.select(columns).iter_rows())
    releases: dict[str, _NewsRelease] = {}
    for _, release, _, at, register, publisher, title in items:
        if release is not None:
            none = _NewsRelease(at, release, set(), [], is_untitled=True)
            told = _NewsRelease(at, release, {(register, publisher)}, [title_words(title)], register in untitled)
            releases.setdefault(release, none).joins(told)
    by_time = sorted(releases.values())
    found: dict[int, str] = {}
    for place, release, own, at, register, publisher, title in items:
        if release is None:
            told = _NewsRelease(at, own, {(register, publisher)}, [title_words(title)], register in untitled)
            found[place] = _assign_release(by_time, told).release
    return found


def _assign_release(by_time: list[_NewsRelease], told: _NewsRelease) -> _NewsRelease:
    """The nearest release that matches an item, or a new one."""
    near = sorted(
        _releases_near(by_time, told.published_at),
        key=lambda one: (abs(one.published_at - told.published_at), one.release),
    )
    (door,), (title,) = told.doors, told.titles
    one = next((one for one in near if one.takes(door, title)), None) or _only_counterpart(near, told, door)
    if one is None:
        insort(by_time, told)
        return told
    one.joins(told)
    return one


def _only_counterpart(near: list[_NewsRelease], told: _NewsRelease, door: Door) -> _NewsRelease | None:
    """The only candidate if exactly one of the two has a headline; None if there are several."""
    able = [one for one in near if one.is_untitled != told.is_untitled and door not in one.doors]
    return able[0] if len(able) == 1 else None


def _releases_near(by_time: list[_NewsRelease], at: datetime) -> list[_NewsRelease]:
    """Releases within the window around an instant, the nearest to either side."""
    middle = bisect_left(by_time, at, key=lambda one: one.published_at)
    around = by_time[max(middle - NEAREST // 2, 0) : middle + NEAREST // 2]
    return [one for one in around if abs(one.published_at - at) <= WINDOW]


def _merge_releases(rows: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """One row per release: in the words of the register that published it, else of the first that reported it."""
    leads = published.select(
        "company_id",
        pl.col("news_id").alias(_RELEASE),
        pl.col("register").alias("_lead"),
        pl.col("native_id").alias("_native"),
    )
    key = ["company_id", _RELEASE]
    told = _member_rows(rows).group_by(key).agg(pl.col(_MEMBER).unique().sort().alias("told_by"))
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


def deduplicate_notices(notices: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """NOTICES rows, one per act of a company.

    Args:
        notices: NOTICES rows of some companies as their registers give them.
        published: the known NOTICES rows of these companies: these stay.
    """
    if notices.is_empty():
        return notices
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
