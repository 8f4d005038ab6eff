"""News sources for US issuers besides EDGAR: the wires.

Belongs here: listing them, and linking a wire's item to its company: by ticker, if the first word of the name
matches. Names alone do not link: the register has filers of the whole world. Does not belong here: current
reports (`filing_headers.news_and_notices`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey, Link
from connectors.name_matching.core_name import core_name
from connectors.news import link_keys
from connectors.news.market import NewsSources
from connectors.news.wires.dataset import wires_dataset
from connectors.us.register import MARKET
from connectors.us.symbols.company_tickers import TICKERS


def _core_names(names: pl.Series) -> pl.Series:
    return pl.Series([core_name(name, MARKET) if name else None for name in names], dtype=pl.String)


def _ticker_keys(rows: pl.DataFrame) -> pl.Series:
    return link_keys.symbol_and_word(rows["ticker"], _core_names(rows["name"]))


TICKER: Final = ComputedKey("symbol_word", _ticker_keys)


def news_links(table: str) -> tuple[Link, ...]:
    """Links by ticker and the first word of the name."""
    return (Link(table, link_keys.by_symbol(MARKET, _core_names), TICKERS.name, TICKER),)


PRESS: Final = NewsSources(wires=(wires_dataset(MARKET),), links=news_links)
