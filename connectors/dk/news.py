"""News sources for Danish issuers: Nasdaq, MFN and the wires.

Belongs here: the list of sources, and the links from a wire's item to its company. Does not belong here: reading any of
them.
"""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Link
from connectors.dk import nasdaq
from connectors.dk.issuer_links import COMPANY_NAME, issuer_cores
from connectors.dk.register import MARKET
from connectors.dk.virksomhed.schema import COMPANIES
from connectors.nasdaq.news import items_mapper
from connectors.news import link_keys
from connectors.news.market import NewsSources, issuer_links
from connectors.news.mfn.dataset import mfn_dataset
from connectors.news.wires.dataset import wires_dataset


def news_links(table: str) -> tuple[Link, ...]:
    """Links by LEI, ISIN and name."""
    by_name = Link(table, link_keys.by_core_name(issuer_cores, MARKET, {"as"}), COMPANIES.name, COMPANY_NAME)
    return (*issuer_links(MARKET, table), by_name)


PRESS: Final = NewsSources(
    wires=(mfn_dataset(MARKET), wires_dataset(MARKET)),
    item_mappers={nasdaq.RELEASES.name: items_mapper(nasdaq.KEY)},
    links=news_links,
)
