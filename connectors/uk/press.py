"""News sources for British issuers: the National Storage Mechanism and the wires.

Belongs here: naming them, and linking a wire's item to its company. Does not belong here: reading any of them.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.declare import Key, Link
from connectors.matching.names import core_name
from connectors.news import keys
from connectors.news.market import Press
from connectors.news.wires import wires_dataset
from connectors.uk import nsm_news
from connectors.uk.companies import COMPANIES
from connectors.uk.nsm_fields import ITEMS

MARKET: Final = "UK"
_PUBLIC: Final = "Public Limited Company"  # only these may offer shares to the public


def _cores(names: pl.Series) -> pl.Series:
    return pl.Series([core_name(name, MARKET) if name else None for name in names], dtype=pl.String)


def _companies(rows: pl.DataFrame) -> pl.Series:
    public = rows["CompanyCategory"].str.to_lowercase() == _PUBLIC.lower()
    cores = pl.Series("core", [None], pl.String).new_from_index(0, rows.height)
    some = _cores(rows["CompanyName"].filter(public))  # one in a thousand; the others are not processed
    return cores if some.is_empty() else cores.scatter(public.arg_true(), some)


COMPANY: Final = Key("public_core", _companies)


def links(table: str) -> tuple[Link, ...]:
    """Links of a wire table: by the name of a public limited company, if exactly one matches."""
    return (Link(table, keys.by_name(_cores), COMPANIES.name, COMPANY),)


PRESS: Final = Press(wires=(wires_dataset(MARKET),), told={ITEMS.name: nsm_news.items}, links=links)
