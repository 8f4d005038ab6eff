"""Who a holder is: one id per holder of one company, from the record that first told of them.

Belongs here: which records of different registers speak of one holder of one company. Joins are exact only: the
same company number, or one and the same name where each register has it once and nothing else (country, kind,
another number) speaks against it. Records of one register are never joined, persons never across companies.
Does not belong here: what they hold (`ownership`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import polars as pl

from warehouse.folding import comparable as folded
from warehouse.schema.ids import holder_id

SINGLE: Final = "single"
_VAGUE: Final = ("unknown", "nominee", "group")  # kinds that a better source may tell more exactly

Record = Mapping[str, Any]


def with_holder_id(holdings: pl.DataFrame, former: pl.DataFrame) -> pl.DataFrame:
    """Adds `holder_id`. Records that speak of one holder get one, and keep the one they had.

    Args:
        holdings: HOLDINGS rows, all of these companies.
        former: OWNERS rows known before, of the same companies.
    """
    keys = holdings.select("company_id", "register", "native_id").iter_rows()
    own = [holder_id(company, register, native) for company, register, native in keys]
    rows = holdings.with_columns(pl.Series("holder_id", own, dtype=pl.String))
    # a line keeps its id when only another record of it is left: then no record here has that id by itself
    borrowed = (pl.col("reconciliation") != SINGLE) | ~pl.col("holder_id").is_in(own)
    joined = former.filter(borrowed).select("company_id")
    several = rows.filter(pl.col("register").n_unique().over("company_id") > 1).select("company_id")
    concerned = pl.concat([several, joined]).unique()
    if concerned.is_empty():
        return rows
    mine, theirs = (frame.join(concerned, on="company_id", how="semi") for frame in (rows, former))
    ids = _joined(mine, theirs)
    found = pl.DataFrame(ids, schema={"holder_id": pl.String, "_joined": pl.String}, orient="row")
    rows = rows.join(found, on="holder_id", how="left", maintain_order="left")
    return rows.with_columns(holder_id=pl.coalesce("_joined", "holder_id")).drop("_joined")


def records_of(owners: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Records whose line has another id than they have by themselves: that id, and the line's."""
    for company, holder, sources in owners.select("company_id", "holder_id", "sources").iter_rows():
        for source in json.loads(sources):
            own = holder_id(company, source["register"], source["native_id"])
            if own != holder:
                yield own, holder


def _joined(rows: pl.DataFrame, former: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Pairs of a record's own id and the id of its holder."""
    seen = dict(former.select("holder_id", "first_seen").iter_rows())
    before = dict(records_of(former))
    ordered = rows.sort("company_id", "register", "native_id").iter_rows(named=True)
    for _, records in groupby(ordered, key=itemgetter("company_id")):
        groups = _groups(list(records))
        # an id that a record has by itself is not another holder's, even where they were one line before
        taken = {record["holder_id"] for group in groups for record in group}
        for group in groups:
            taken -= {record["holder_id"] for record in group}
            chosen = _chosen(group, before, seen, taken)
            taken |= {chosen, *(record["holder_id"] for record in group)}
            yield from ((record["holder_id"], chosen) for record in group)


def _chosen(
    group: list[Record], before: Mapping[str, str], seen: Mapping[str, Any], taken: Iterable[str]
) -> str:
    """The id of a holder: known longest of those its records had, else of the earliest record."""
    own = [record["holder_id"] for record in group]
    known = {before.get(name, name) for name in own} & seen.keys() - set(taken)
    if known:
        return min(known, key=lambda name: (seen[name], name))
    return min(group, key=lambda record: (_since(record), record["register"]))["holder_id"]


def _since(record: Record) -> Any:
    return record["valid_from"] or record["observed_at"].date()


def _groups(records: list[Record]) -> list[list[Record]]:
    """The records of one company by holder."""
    groups: list[list[Record]] = []
    for record in records:
        number = record["holder_company_id"]
        fits = [group for group in groups if number and number in _numbers(group)]
        fits = [group for group in fits if record["register"] not in _registers(group)]
        if fits:
            fits[0].append(record)
        else:
            groups.append([record])
    return _joined_by_name(groups)


def _joined_by_name(groups: list[list[Record]]) -> list[list[Record]]:
    """Groups of one name as one, where no register tells of that name twice and nothing speaks against it."""
    by_name: dict[str, list[list[Record]]] = defaultdict(list)
    for group in groups:
        by_name[folded(group[0]["holder_name"]) or group[0]["holder_id"]].append(group)
    found: list[list[Record]] = []
    for same in by_name.values():
        records = [record for group in same for record in group]
        once = len(_registers(records)) == len(records)
        found += [records] if len(same) > 1 and once and _agree(records) else same
    return found


def _agree(records: list[Record]) -> bool:
    countries = {record["holder_country"] for record in records} - {None}
    kinds = {record["holder_type"] for record in records} - set(_VAGUE)
    return len(countries) < 2 and len(kinds) < 2 and len(_numbers(records)) < 2  # noqa: PLR2004 - not two


def _numbers(records: list[Record]) -> set[str]:
    return {record["holder_company_id"] for record in records} - {None}


def _registers(records: list[Record]) -> set[str]:
    return {record["register"] for record in records}
