"""Detects records re-issued by a register: one record of a holder ends and another begins.

Companies House does so for some changes of natures or details (docs/formats/uk.md 4) and gives persons no
number: the whole name, the kind and the day must be equal. Belongs here: which records follow which, and
which companies have such records. Does not belong here: what contradicts a single holder (`match_rules`).
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

_NAMED: Final = ("company_id", "register", "holder_type", pl.col("holder_name").str.to_lowercase())
_DAYS: Final = (0, 1)  # from the end of one record to the beginning of the next


def companies_with_renewals(rows: pl.DataFrame) -> pl.Series:
    """Companies with a record that begins where another of the same register and name ends."""
    ended = rows.filter(pl.col("ended_on").is_not_null(), pl.col("holder_name").is_not_null())
    if ended.is_empty():
        return pl.Series("company_id", [], pl.String)
    follow = pl.concat([ended.lazy().select(*_NAMED, _day=_day_after_end(days)) for days in _DAYS])
    # few records begin on the day another ends: only their names are compared
    days = ["company_id", "_day"]
    begun = rows.lazy().with_columns(_day="valid_from").join(follow.select(days), on=days, how="semi")
    key = [*days, "register", "holder_type", "holder_name"]
    found = begun.select(*_NAMED, "_day").join(follow, on=key, how="semi")
    return found.select("company_id").unique().collect()["company_id"]


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
