"""News sources for Swedish issuers: Nasdaq, MFN, Cision, the wires, Finansinspektionen's storage.

Belongs here: naming them, and linking a wire's item to its company. Does not belong here: reading any of them.
"""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Link
from connectors.nasdaq.news import items_mapper
from connectors.news import link_keys
from connectors.news.cision import cision_dataset
from connectors.news.market import NewsSources, isin_link, issuer_links
from connectors.news.mfn.dataset import mfn_dataset
from connectors.news.wires.dataset import wires_dataset
from connectors.se import nasdaq
from connectors.se.bulk.bolagsverket_schema import ORGANISATIONS
from connectors.se.finansinspektionen import finanscentralen
from connectors.se.finansinspektionen.issuers import INSIDER_ISSUERS, SHORTS_ISSUERS
from connectors.se.issuer_links import COMPANY_NAME, core_names
from connectors.se.register import MARKET


def news_links(table: str) -> tuple[Link, ...]:
    """Links of a wire table: by LEI and ISIN, the latter also through two own registers, then by name."""
    return (
        *issuer_links(MARKET, table),
        isin_link(table, INSIDER_ISSUERS, "isin"),
        isin_link(table, SHORTS_ISSUERS, "isin"),
        Link(table, link_keys.by_core_name(core_names), ORGANISATIONS.name, COMPANY_NAME),
    )


PRESS: Final = NewsSources(
    wires=(mfn_dataset(MARKET), wires_dataset(MARKET), cision_dataset(MARKET), finanscentralen.DATASET),
    item_mappers={nasdaq.RELEASES.name: items_mapper(nasdaq.KEY)},
    links=news_links,
)
