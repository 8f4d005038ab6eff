"""Filings under the CIK of one company that name another issuer, whose CUSIP is not the company's either.

A holder that fills in a wrong CIK makes itself an owner of a company it does not own. The profile knows the company's
names of today and before; a name that two holders use is a new one of it. Does not belong here: positions of managers,
which name no CIK (`form13f.linked_rows`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, NamedTuple

import polars as pl

from connectors.us.ownership.schedule13.schema import CUSIP, HOLDER_KEY, SOURCE
from connectors.us.ownership.similar_names import is_similar

ANOTHER_NAME: Final = "issuer_of_another_name"  # signal: a schedule's CIK is this company's, its name and CUSIP are not
_SIGNS: Final = 8  # characters of a CUSIP, without its check digit
_SEVERAL: Final = 2


class _NamedIssuer(NamedTuple):
    """An issuer as one holder of one filing names it."""

    company: str
    source: str
    name: str
    cusip: str | None
    holder: str


def names_of_filers(filers: pl.LazyFrame) -> Mapping[str, frozenset[str]]:
    """Company to its names by its profile, former ones too."""
    rows = filers.select("_company_id", "name", "former_names").drop_nulls("_company_id").collect()
    return {company: frozenset((name, *former)) for company, name, former in rows.iter_rows()}


def filings_of_other_issuers(stakes: pl.LazyFrame, names: Mapping[str, frozenset[str]]) -> set[tuple[str, str]]:
    """Company and source of each filing that is about another issuer; none of a company without a profile.

    Of an older form the header tells the CIK, and words of its page may stand in the issuer's place.
    """
    leads = stakes.filter(
        "isLead", ~pl.col("isText"), pl.col("_company_id").is_not_null(), pl.col("issuer").is_not_null()
    )
    columns = ("_company_id", SOURCE, "issuer", CUSIP, HOLDER_KEY)
    given = [_NamedIssuer(*row) for row in leads.select(columns).collect().iter_rows() if row[0] in names]
    strange: list[_NamedIssuer] = []
    cusips: dict[str, set[str]] = defaultdict(set)
    for one in given:
        if not any(is_similar(one.name, name) for name in names[one.company]):
            strange.append(one)
        elif one.cusip is not None:
            cusips[one.company].add(one.cusip[:_SIGNS])
    return {
        (one.company, one.source)
        for one in strange
        if (one.cusip is None or one.cusip[:_SIGNS] not in cusips[one.company]) and not _is_usual(one, strange)
    }


def _is_usual(one: _NamedIssuer, strange: list[_NamedIssuer]) -> bool:
    """Whether several holders name the company so: it has been renamed."""
    alike = {other.holder for other in strange if other.company == one.company and is_similar(one.name, other.name)}
    return len(alike) >= _SEVERAL
