"""Tells shareholders of one name apart over the years, by the marks of their birth years.

Within one list they are told apart by an ordinal in file order, which another year's list may turn round: a son would
go on as his father. The first person marked under a key keeps it; another one of the same name gets a key of its own.
No mark, a mark that two holders of one list share, and marks of another key of the installation say nothing; a list of
which two holders would become one stays as it is. Does not belong here: the mark
(`connectors.kit.redact.person_marks`), or the key without it (`dataset`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final

import polars as pl

from connectors.no.aksjonaerregister.schema import HOLDER, NUMBER, PERSON, PERSON_MARK, YEAR
from warehouse.schema.ids import natural_id

_NAMESAKES: Final = (NUMBER, "_name", "landkode")
_STATED: Final = (YEAR, HOLDER, PERSON_MARK)
_OWN_KEY: Final = "_own_key"

Statement = tuple[int, str, str | None]  # income year, key by ordinal, mark


def with_keys_of_persons(shares: pl.LazyFrame) -> pl.LazyFrame:
    """Staged rows, each under the key of the person that its mark means."""
    named = shares.with_columns(_name=pl.col("navn").str.to_lowercase()).filter(pl.col("art") == PERSON)
    several = (
        named.group_by(_NAMESAKES).agg(pl.col(PERSON_MARK).drop_nulls().n_unique()).filter(pl.col(PERSON_MARK) > 1)
    )
    found = named.join(several, on=_NAMESAKES, how="semi", nulls_equal=True).select(*_NAMESAKES, *_STATED).unique()
    ordered = found.sort(*_NAMESAKES, *_STATED, nulls_last=True).collect()
    if ordered.is_empty():
        return shares
    schema = {YEAR: pl.Int64, HOLDER: pl.String, _OWN_KEY: pl.String}
    keys = pl.DataFrame(list(_own_keys(ordered)), schema=schema, orient="row").lazy()
    joined = shares.join(keys, on=[YEAR, HOLDER], how="left", maintain_order="left")
    return joined.with_columns(pl.coalesce(_OWN_KEY, HOLDER).alias(HOLDER)).drop(_OWN_KEY)


def _own_keys(ordered: pl.DataFrame) -> Iterator[tuple[int, str, str]]:
    """Year and key by ordinal of namesakes, and the key of the person."""
    count = len(_NAMESAKES)
    for _, rows in groupby(ordered.iter_rows(), key=itemgetter(*range(count))):
        key_of: dict[str, str] = {}
        for year, listed in groupby((row[count:] for row in rows), key=itemgetter(0)):
            statements: list[Statement] = list(listed)
            found = _keys_of_list(statements, key_of)
            finals = {found.get(mark or "", key) for _, key, mark in statements}
            if len(finals) < len({key for _, key, _ in statements}):
                continue  # two holders would be one
            key_of |= found
            yield from ((year, key, found[mark]) for _, key, mark in statements if mark in found)


def _keys_of_list(statements: list[Statement], key_of: dict[str, str]) -> dict[str, str]:
    """The keys of one list's persons by mark. key_of: those of earlier lists, which hold."""
    times = Counter(mark for _, _, mark in statements)
    single = {mark: key for _, key, mark in statements if mark is not None and times[mark] == 1}
    found = {mark: key_of[mark] for mark in single if mark in key_of}
    for mark, key in single.items():
        if mark not in found:
            rivals = {one for other, one in (key_of | found).items() if _key_id(other) == _key_id(mark)}
            found[mark] = natural_id("inn", key, mark) if key in rivals else key
    return found


def _key_id(mark: str) -> str:
    return mark.partition("-")[0]
