"""Detects records re-issued by a register: one record of a holder ends and another begins, or both are in force.

Companies House does so for some changes of natures or details (docs/formats/uk.md 4) and gives persons no
number: the whole name, the kind and the day must be equal. A further entry may come without an end of the first one.
Both are of one holder where its number, or the name and the person mark, say so and where they state bands: parcels
of a holder may add up, bands cannot. Belongs here: which records follow or repeat which, and which companies have
such records. Does not belong here: what contradicts a single holder (`match_rules`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final

import polars as pl

from name_matching.folding import fold_text, spelling_key

Record = Mapping[str, Any]
Name = tuple[str, str, str, str]  # register, name, kind, class of shares

_MET: Final = ["company_id", "register", "holder_type", "_day"]
_DAYS: Final = (0, 1)  # from the end of one record to the beginning of the next
PERSON: Final = "person"
PERSON_MARK: Final = (
    "person_mark"  # of a record: null, or the id of its key and the mark (`schema.tables.HOLDER_MARKS`)
)
_BAND: Final = "band"
_TITLES: Final = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir", "dame", "lord", "lady", "rev"})


def companies_with_renewals(rows: pl.DataFrame) -> pl.Series:
    """Companies with a record that begins where another of the same register and name ends."""
    named = rows.lazy().filter(pl.col("holder_name").is_not_null())
    ended = named.filter(pl.col("ended_on").is_not_null())
    follow = pl.concat([_of_day(ended, _day_after_end(days)) for days in _DAYS])
    # few records begin on the day another ends: only their names are compared
    begun = _of_day(named, pl.col("valid_from")).join(follow, on=_MET, how="semi").collect()
    met = follow.join(begun.lazy(), on=_MET, how="semi").collect()
    found = _with_spelling(begun).join(_with_spelling(met), on=[*_MET, "_spelling"], how="semi")
    return found["company_id"].unique()


def _of_day(records: pl.LazyFrame, day: pl.Expr) -> pl.LazyFrame:
    return records.select("company_id", "register", "holder_type", "holder_name", _day=day)


def _with_spelling(records: pl.DataFrame) -> pl.DataFrame:
    spelled = [spelling_key(name) for name in records["holder_name"].to_list()]
    return records.with_columns(pl.Series("_spelling", spelled, dtype=pl.String))


def _day_after_end(days: int) -> pl.Expr:
    return pl.col("ended_on") + timedelta(days=days)


def renewal_pairs(records: Iterable[Record]) -> Iterator[tuple[Record, Record]]:
    """Pairs of an ended record and its only successor, in the order of their days."""
    begun: dict[tuple[Name, date], list[Record]] = defaultdict(list)
    ended: dict[Name, list[Record]] = defaultdict(list)
    for record in records:
        if record["holder_name"] is None:
            continue
        name = _renewal_key(record)
        if record["valid_from"] is not None:
            begun[name, record["valid_from"]].append(record)
        if record["ended_on"] is not None:
            ended[name].append(record)
    for name, gone in ended.items():
        for record in sorted(gone, key=lambda one: (one["ended_on"], one["native_id"])):
            days = [record["ended_on"] + timedelta(days=days) for days in _DAYS]
            next_ones = [one for day in days for one in begun.get((name, day), ()) if one is not record]
            rivals = [one for one in gone if one["ended_on"] in days]
            if len(next_ones) == 1 and len(rivals) == 1:
                yield record, next_ones[0]


def _renewal_key(record: Record) -> Name:
    told = (record["register"], spelling_key(record["holder_name"]), record["holder_type"])
    return (*told, fold_text(record["share_class"] or ""))


def companies_with_repeated_entries(rows: pl.DataFrame) -> pl.Series:
    """Companies with several bands of one register under one number or person mark: those that may be repeated."""
    mark = pl.col(PERSON_MARK) if PERSON_MARK in rows.columns else pl.lit(None, pl.String)
    subject = pl.when(pl.col("holder_type") == PERSON).then(mark).otherwise("holder_company_id")
    bands = rows.lazy().filter(pl.col("basis") == _BAND).select("company_id", "register", _subject=subject)
    counts = bands.drop_nulls().group_by("company_id", "register", "_subject").len().filter(pl.col("len") > 1)
    return counts.select("company_id").collect()["company_id"].unique()


def repeated_entries(records: Iterable[Record]) -> Iterator[tuple[Record, Record]]:
    """Pairs of records of one holder whose days overlap or follow each other, in the order of their days."""
    entries: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    for record in records:
        subject = _stated_subject(record)
        if subject is not None and record["basis"] == _BAND:
            share_class = record["share_class"]
            entries[record["register"], *subject, fold_text(share_class) if share_class else ""].append(record)
    for same in entries.values():
        known: list[Record] = []
        for other in sorted(same, key=lambda one: (_begins(one), one["native_id"])):
            first = next((one for one in reversed(known) if _is_repeated(one, other)), None)
            if first is not None:
                yield first, other
            known.append(other)


def _is_repeated(first: Record, other: Record) -> bool:
    """True if a later entry of one number or person mark begins before or when the first one ends, under its name."""
    ended = first["ended_on"]
    return (ended is None or (_begins(other) - ended).days <= _DAYS[-1]) and (
        first["holder_type"] != PERSON or _is_fuller_name(first["holder_name"], other["holder_name"])
    )


def _is_fuller_name(one: str, other: str) -> bool:
    """True if two names of persons born in one month have the same words in any order, or one of them has more."""
    words, others = ({*fold_text(name).split()} - _TITLES for name in (one, other))
    return words == others or (min(len(words), len(others)) > 1 and (words <= others or others <= words))


def _stated_subject(record: Record) -> tuple[str, ...] | None:
    """What a register states of who a holder is; None where that is a name alone."""
    if record["holder_type"] != PERSON:
        return None if record["holder_company_id"] is None else (record["holder_type"], record["holder_company_id"])
    mark = record.get(PERSON_MARK)
    return None if mark is None or record["holder_name"] is None else (mark,)


def _begins(record: Record) -> date:
    return record["valid_from"] or date.min
