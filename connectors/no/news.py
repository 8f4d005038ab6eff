"""News sources for Norwegian issuers: NewsWeb, MFN and the wires.

Belongs here: the list of sources, and the links from a wire's item to its company. Does not belong here: reading
any of them.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey, Link
from connectors.news import link_keys
from connectors.news.market import NewsSources, isin_link, issuer_links
from connectors.news.mfn.dataset import mfn_dataset
from connectors.news.wires.dataset import wires_dataset
from connectors.no.enheter.schema import ENTITIES
from connectors.no.euronext import SHARES
from connectors.no.issuer_links import entity_key, issuer_cores
from connectors.no.newsweb import news
from connectors.no.newsweb.schema import MESSAGES
from connectors.no.register import MARKET
from name_matching.name_columns import fold_texts


def _symbol_word_keys(rows: pl.DataFrame) -> pl.Series:
    return link_keys.symbol_and_word(rows["Symbol"], issuer_cores(rows["Name"]))


SHARE: Final = ComputedKey("symbol_word", _symbol_word_keys)


def news_links(table: str) -> tuple[Link, ...]:
    """Links by LEI and ISIN, by ticker through the Oslo list, then by name: first the whole name, then the core."""
    return (
        *issuer_links(MARKET, table),
        isin_link(table, SHARES, "ISIN"),
        *(Link(table, key, SHARES.name, SHARE) for key in link_keys.by_symbol(MARKET, issuer_cores)),
        Link(table, link_keys.by_full_name(fold_texts), ENTITIES.name, entity_key(fold_texts)),
        Link(
            table, link_keys.by_core_name(issuer_cores, MARKET, {"asa", "as"}), ENTITIES.name, entity_key(issuer_cores)
        ),
    )


PRESS: Final = NewsSources(
    wires=(mfn_dataset(MARKET), wires_dataset(MARKET)), item_mappers={MESSAGES.name: news.news_items}, links=news_links
)
