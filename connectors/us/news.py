"""News sources for US issuers besides EDGAR: the wires.

Belongs here: listing them, and linking a wire's item to its company: by ticker, if the first word of the name
matches, or all its words in any order. Names alone do not link: the register has filers of the whole world. Does not
belong here: current reports (`filing_headers.news_and_notices`).
"""

from __future__ import annotations

from functools import partial
from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey, Link
from connectors.gleif.isin_mapping import isin_table
from connectors.news import link_keys
from connectors.news.market import NewsSources, isin_link
from connectors.news.wires.dataset import wires_dataset
from connectors.us.register import MARKET
from connectors.us.symbols.company_tickers import TICKERS
from name_matching.name_columns import core_names

_core_names: Final = partial(core_names, country=MARKET)


def _ticker_keys(rows: pl.DataFrame) -> pl.Series:
    return link_keys.symbol_and_word(rows["ticker"], _core_names(rows["name"]))


def _ticker_and_words_keys(rows: pl.DataFrame) -> pl.Series:
    return link_keys.symbol_and_words(rows["ticker"], _core_names(rows["name"]))


TICKER: Final = ComputedKey("symbol_word", _ticker_keys)
TICKER_AND_WORDS: Final = ComputedKey("symbol_words", _ticker_and_words_keys)


def news_links(table: str) -> tuple[Link, ...]:
    """Links by ISIN, then by each ticker and all words of the name, then by each ticker and the first of them.

    The list has subsidiaries under the ticker of their parent, and the same first word.
    """
    words = link_keys.by_symbol(MARKET, _core_names, link_keys.symbol_and_words, "words")
    return (
        isin_link(table, isin_table(MARKET), "isin"),
        *(Link(table, key, TICKERS.name, TICKER_AND_WORDS) for key in words),
        *(Link(table, key, TICKERS.name, TICKER) for key in link_keys.by_symbol(MARKET, _core_names)),
    )


PRESS: Final = NewsSources(wires=(wires_dataset(MARKET),), links=news_links)
