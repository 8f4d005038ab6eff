"""News sources for British issuers: the National Storage Mechanism and the wires.

Belongs here: naming them, and linking a wire's item to its company. Does not belong here: reading any of them.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey, Link
from connectors.news import link_keys
from connectors.news.market import NewsSources, issuer_links
from connectors.news.wires.dataset import wires_dataset
from connectors.uk.basic_company_data.dataset import COMPANIES
from connectors.uk.nsm import news
from connectors.uk.nsm.schema import ITEMS
from name_matching.core_name import split_core_and_forms

MARKET: Final = "UK"
_PUBLIC: Final = "Public Limited Company"  # only these may offer shares to the public
_PUBLIC_FORMS: Final = frozenset({"plc", "corp"})  # «The Law Debenture Corporation p.l.c.»


def _public_cores(names: pl.Series) -> pl.Series:
    """Each name without its legal form; null for one that states a form which no public company has (Limited, Inc).

    «(UK)» in brackets is such a form: of a group's company here, which a release of the group does not mean.
    """
    split = (split_core_and_forms(name, MARKET) if name else None for name in names)
    cores = [parts.core or None if parts and _PUBLIC_FORMS.issuperset(parts.forms.split()) else None for parts in split]
    return pl.Series(cores, dtype=pl.String)


def _public_company_cores(rows: pl.DataFrame) -> pl.Series:
    public = rows["CompanyCategory"].str.to_lowercase() == _PUBLIC.lower()
    cores = pl.Series("core", [None], pl.String).new_from_index(0, rows.height)
    some = _public_cores(rows["CompanyName"].filter(public))  # one in a thousand; the others are not processed
    return cores if some.is_empty() else cores.scatter(public.arg_true(), some)


COMPANY: Final = ComputedKey("public_core", _public_company_cores)


def news_links(table: str) -> tuple[Link, ...]:
    """Links of a wire table: by LEI and ISIN, then by the name of a public limited company."""
    by_name = Link(table, link_keys.by_core_name(_public_cores), COMPANIES.name, COMPANY)
    return (*issuer_links(MARKET, table), by_name)


PRESS: Final = NewsSources(wires=(wires_dataset(MARKET),), item_mappers={ITEMS.name: news.news_items}, links=news_links)
