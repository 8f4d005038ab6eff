"""Rows that the CUSIP alone gave to a company, without those that name another issuer.

A CUSIP typed wrong, or given to another issuer by a schedule's slip, leads a row to a company that it does not mean:
the row's own name says so. Abbreviations are common («INTL BUSINESS MACHS», «IBM»), so one word or the initials in
common are enough, and a name that most managers use for the CUSIP is the company's. Does not belong here: the links
themselves (`contributions.ownership`), or what a row says (`holdings`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

import polars as pl

from connectors.us.ownership.form13f.schema import CUSIP, MANAGER
from connectors.us.ownership.holder_types import Row
from connectors.us.ownership.similar_names import is_similar

OTHER_ISSUER: Final = "cusip_of_another_issuer"  # signal: the CUSIP is this company's, the name is not
_SEVERAL: Final = 2

IssuerNames = Mapping[str, frozenset[str]]  # company to its names as forms give them


def issuer_names_by_company(frames: Iterable[pl.LazyFrame], profiles: IssuerNames) -> IssuerNames:
    """The names of each company in schedules and insiders' forms, and in its profile, former ones too.

    frames: with `_company_id` and `issuer`.
    """
    named = pl.concat([frame.select("_company_id", "issuer") for frame in frames]).unique().drop_nulls().collect()
    found: dict[str, set[str]] = defaultdict(set)
    for company, name in named.iter_rows():
        found[company].add(name)
    return {company: frozenset(names) | profiles.get(company, frozenset()) for company, names in found.items()}


def split_by_issuer(rows: Iterable[Row], names: IssuerNames) -> tuple[list[Row], list[tuple[str, str]]]:
    """Rows that name their company, or nothing that speaks against it; company and signal of each other row."""
    given = list(rows)
    managers: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in given:
        if row["issuer"]:
            managers[row["_company_id"], row[CUSIP]][row[MANAGER]].add(row["issuer"])
    kept: list[Row] = []
    doubts: list[tuple[str, str]] = []
    for row in given:
        company, name = row["_company_id"], row["issuer"]
        known = names.get(company, frozenset())
        is_named = not name or not known or any(is_similar(name, one) for one in known)
        if is_named or _is_usual(name, managers[company, row[CUSIP]]):
            kept.append(row)
        else:
            doubts.append((company, OTHER_ISSUER))
    return kept, doubts


def _is_usual(name: str, managers: Mapping[str, set[str]]) -> bool:
    """Whether most of several managers give a CUSIP this name: the company has been renamed."""
    same = sum(1 for told in managers.values() if any(is_similar(name, one) for one in told))
    return len(managers) >= _SEVERAL and same * _SEVERAL > len(managers)
