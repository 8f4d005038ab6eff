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

_MET: Final = ["company_id", "register", "holder_type", "_day"]
_DAYS: Final = (0, 1)  # from the end of one record to the beginning of the next


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
