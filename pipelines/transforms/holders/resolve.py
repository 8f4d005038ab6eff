"""Assigns holder ids: one id per holder of one company, from its earliest record.

Belongs here: which companies' records have to be processed one by one, which id a holder with several records has,
and ids for whole columns, fifteen million rows at once (the rule is `warehouse.schema.ids.holder_id`; a test
compares the two). Does not belong here: which records are one holder (`match_rules`), or what they hold
(`ownership.owners`).
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import polars as pl

from pipelines.transforms.holders.match_rules import HolderJoin, resolve_holders
from pipelines.transforms.holders.record_ids import later_subject_id
from pipelines.transforms.holders.renewals import (
    PERSON,
    PERSON_MARK,
    companies_with_renewals,
    companies_with_repeated_entries,
)
from warehouse.schema import ids
from warehouse.schema.decisions import HolderDecision
from warehouse.schema.ids import holder_id

__all__ = ["SINGLE", "find_holder_joins", "reassigned_holder_ids", "with_holder_id", "with_person_marks"]

SINGLE: Final = "single"

Record = Mapping[str, Any]
Verdicts = Mapping[str, Sequence[HolderDecision]]  # by company, oldest first
_NAME: Final = "holder_id"
_PARTS: Final = ("company_id", "register", "native_id")
_BITS: Final = 10  # two base-32 digits at once
_PAIRS: Final = 13  # which make the 26 digits of an id
_WORD: Final = 64
_WORDS: Final = 4  # of a digest
_USED: Final = 3  # containing the 130 bits used


def with_holder_id(
    holdings: pl.DataFrame, previous_rows: pl.DataFrame, decisions: Sequence[HolderDecision] = ()
) -> pl.DataFrame:
    """Adds `holder_id`, `_several` (the holder has other records), and the holder's company as decided manually.

    Records of one holder get one id, and keep the one they had.

    Args:
        holdings: HOLDINGS rows, all of these companies, `with_person_marks` where there are any.
        previous_rows: OWNERS rows known before, of the same companies.
        decisions: manual decisions on holders, oldest first.
    """
    rows = holdings.with_columns(holder_ids(holdings), _several=pl.lit(value=False))
    concerned = _companies_to_resolve(rows, previous_rows, decisions)
    if concerned.is_empty():
        return rows
    # only the rows of these companies are processed one by one: most companies have one register
    is_theirs = rows["company_id"].is_in(concerned.implode())
    mine = _looked_at(rows.filter(is_theirs))
    theirs = previous_rows.filter(pl.col("company_id").is_in(concerned.implode()))
    found = pl.DataFrame(
        list(_assign_holder_ids(mine, theirs, decisions_by_company(decisions))), schema=_FOUND, orient="row"
    )
    told = mine.select("holder_id").join(found, on="holder_id", how="left", maintain_order="left")
    # company numbers differ only after a manual decision
    return rows.with_columns(
        rows[name].scatter(is_theirs.arg_true(), told[new])
        for name, new in (("holder_id", "_joined"), ("_several", "_others"), ("holder_company_id", "_number"))
    )


_LOOKED_AT: Final = (
    *("company_id", "register", "native_id", "holder_id", "holder_name", "holder_type", "holder_company_id"),
    *("holder_country", "share_class", "basis", "valid_from", "ended_on", "observed_at", PERSON_MARK),
)
_FOUND: Final = {"holder_id": pl.String, "_joined": pl.String, "_others": pl.Boolean, "_number": pl.String}


def with_person_marks(holdings: pl.DataFrame, marks: pl.DataFrame) -> pl.DataFrame:
    """Holdings with the marks of persons (HOLDER_MARKS rows): null where a record has none."""
    if marks.is_empty():
        return holdings
    # a mark is of the record's present subject, whose id differs from that of the first
    own = later_subject_id(pl.col("native_id"), pl.lit(PERSON), pl.col("subject_number"))
    known = marks.with_columns(native_id=own).select(*_PARTS, PERSON_MARK)
    rows = holdings.join(known, on=list(_PARTS), how="left", maintain_order="left")
    return rows.with_columns(pl.when(pl.col("holder_type") == PERSON).then(PERSON_MARK))


def _looked_at(rows: pl.DataFrame) -> pl.DataFrame:
    """The columns that match rules compare."""
    if PERSON_MARK not in rows.columns:
        rows = rows.with_columns(pl.lit(None, pl.String).alias(PERSON_MARK))
    return rows.select(*_LOOKED_AT)


def find_holder_joins(holdings: pl.DataFrame, decisions: Sequence[HolderDecision] = ()) -> list[HolderJoin]:
    """The rules that join the records of some companies, for manual review. Marks of persons are not known here."""
    rows = holdings.with_columns(holder_ids(holdings))
    of = decisions_by_company(decisions)
    return [
        join
        for company, records in _records_by_company(rows)
        for join in resolve_holders(list(records), of.get(company, ())).joins
    ]


def decisions_by_company(decisions: Iterable[HolderDecision]) -> Verdicts:
    """Decisions by company, in the order given."""
    found: dict[str, list[HolderDecision]] = {}
    for told in decisions:
        found.setdefault(told.company_id, []).append(told)
    return found


def reassigned_holder_ids(owners: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Records with an own id other than their line's: the own id, and the line's."""
    for company, holder, sources in owners.select("company_id", "holder_id", "sources").iter_rows():
        for source in json.loads(sources):
            own = holder_id(company, source["register"], source["native_id"])
            if own != holder:
                yield own, holder


def _companies_to_resolve(rows: pl.DataFrame, former: pl.DataFrame, verdicts: Sequence[HolderDecision]) -> pl.Series:
    """Companies with several registers, or with records that were renewed, repeated, decided on or joined before."""
    judged = pl.Series("company_id", [told.company_id for told in verdicts], dtype=pl.String)
    found = [judged, _multi_register_companies(rows), companies_with_renewals(rows)]
    found.append(companies_with_repeated_entries(rows))
    if not former.is_empty():
        # if only another record of a line is left, the line keeps its id: then no record has that id as its
        # own
        joined = (pl.col("reconciliation") != SINGLE) | ~pl.col("holder_id").is_in(rows["holder_id"].implode())
        found.append(former.filter(joined)["company_id"])
    return pl.concat(found).unique()


def _multi_register_companies(rows: pl.DataFrame) -> pl.Series:
    """Companies with several registers; for speed, only those outside the largest register are checked."""
    counts = rows["register"].value_counts(sort=True)
    if counts.height < 2:  # noqa: PLR2004 - one register meets nobody
        return pl.Series("company_id", [], dtype=pl.String)
    largest = counts["register"][0]
    others = rows.lazy().filter(pl.col("register") != largest).select("company_id").unique()
    told = rows.lazy().select("company_id", "register").join(others, on="company_id", how="semi")
    several = told.group_by("company_id").agg(pl.col("register").n_unique()).filter(pl.col("register") > 1)
    return several.collect()["company_id"]


def _records_by_company(rows: pl.DataFrame) -> Iterator[tuple[str, Iterable[Record]]]:
    ordered = _looked_at(rows).sort("company_id", "register", "native_id").iter_rows(named=True)
    return groupby(ordered, key=itemgetter("company_id"))


def _assign_holder_ids(
    rows: pl.DataFrame, former: pl.DataFrame, verdicts: Verdicts
) -> Iterator[tuple[str, str, bool, str | None]]:
    """For each record: own id, holder's id, whether the holder has other records, the holder's company number."""
    seen = dict(former.select("holder_id", "first_seen").iter_rows())
    before = dict(reassigned_holder_ids(former))
    for company, records in _records_by_company(rows):
        told = verdicts.get(company, ())
        groups = resolve_holders(list(records), told).groups
        # the own id of a record is never given to another holder, even if they were one line before
        taken = {record["holder_id"] for group in groups for record in group}
        for group in groups:
            taken -= {record["holder_id"] for record in group}
            chosen = _choose_holder_id(group, before, seen, taken)
            taken |= {chosen, *(record["holder_id"] for record in group)}
            for record in group:
                yield record["holder_id"], chosen, len(group) > 1, record["holder_company_id"]


def _choose_holder_id(
    group: Sequence[Record], before: Mapping[str, str], seen: Mapping[str, Any], taken: Iterable[str]
) -> str:
    """The id of a holder: the longest known of its records' former ids, else the earliest record's."""
    own = [record["holder_id"] for record in group]
    # look up the few ids of the group: `seen` holds every line of all companies concerned
    known = {name for record in own if (name := before.get(record, record)) in seen} - set(taken)
    if known:
        return min(known, key=lambda name: (seen[name], name))
    return min(group, key=lambda record: (_first_day(record), record["register"], record["native_id"]))["holder_id"]


def _first_day(record: Record) -> Any:
    return record["valid_from"] or record["observed_at"].date()


def holder_ids(rows: pl.DataFrame) -> pl.Series:
    """`holder_id` of every row by company_id, register and native_id, none of which is null."""
    keys = rows.select(pl.concat_str(*(_length_prefixed(name) for name in _PARTS)).cast(pl.Binary)).to_series()
    words = array("Q", b"".join([sha256(key).digest() for key in keys.to_list()]))
    if sys.byteorder == "little":
        words.byteswap()
    told = pl.Series(words, dtype=pl.UInt64)
    digests = pl.DataFrame([told.gather_every(_WORDS, place).alias(str(place)) for place in range(_USED)])
    digits = pl.Series(_NAME, ids.PAIRS, dtype=pl.String)
    pairs = (pl.lit(digits).gather(pair).alias(f"_{place}") for place, pair in enumerate(_digit_pairs()))
    return digests.select(pl.concat_str(pl.lit("own_"), *pairs).alias(_NAME)).to_series()


def _length_prefixed(name: str) -> pl.Expr:
    """A text prefixed with its length in bytes, which distinguishes («ab», «c») from («a», «bc»)."""
    column = pl.col(name).cast(pl.String)
    return pl.concat_str(column.str.len_bytes().cast(pl.String), pl.lit(":"), column)


def _digit_pairs() -> Iterator[pl.Expr]:
    """The first 130 bits of the three words, ten at a time."""
    for pair in range(_PAIRS):
        start = pair * _BITS
        word, offset = divmod(start, _WORD)
        right = _WORD - offset - _BITS
        column = pl.col(str(word))
        if right >= 0:
            found = column // (1 << right)
        else:
            # the ten bits begin in one word and end in the next
            found = (column % (1 << (_BITS + right))) * (1 << -right) + pl.col(str(word + 1)) // (1 << (_WORD + right))
        yield (found % (1 << _BITS)).cast(pl.UInt32)
