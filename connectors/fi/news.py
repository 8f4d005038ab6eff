"""News sources for Finnish issuers: Nasdaq, the official storage oam.fi, MFN and the wires.

Belongs here: the list of sources, and the links from a wire's item to its company. Does not belong here: reading
any of them.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.dataset import Link
from connectors.fi import nasdaq, oam
from connectors.fi.register import MARKET
from connectors.fi.ytj.schema import COMPANIES
from connectors.nasdaq.names import issuer_key
from connectors.nasdaq.news import items_mapper
from connectors.nasdaq.schema import ISSUER
from connectors.news import link_keys
from connectors.news.market import NewsSources, issuer_links
from connectors.news.mfn.dataset import mfn_dataset
from connectors.news.wires.dataset import wires_dataset


def _issuer_keys(names: pl.Series) -> pl.Series:
    return pl.Series([issuer_key(name) if name else None for name in names], dtype=pl.String)


def news_links(table: str) -> tuple[Link, ...]:
    """Links by LEI, ISIN and name; no Finnish register has ISINs of its own."""
    by_name = Link(table, link_keys.by_core_name(_issuer_keys), COMPANIES.name, ISSUER)
    return (*issuer_links(MARKET, table), by_name)


PRESS: Final = NewsSources(
    wires=(mfn_dataset(MARKET), wires_dataset(MARKET), oam.DATASET),
    item_mappers={nasdaq.RELEASES.name: items_mapper(nasdaq.RELEASES_KEY)},
    links=news_links,
)
