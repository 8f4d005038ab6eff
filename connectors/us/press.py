"""News sources for US issuers besides EDGAR: the wires.

Belongs here: listing them, and linking a wire's item to its company: by ticker, if the first word of the name
matches. Names alone do not link: the register has filers of the whole world. Does not belong here: current
reports (`releases`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.declare import Key, Link
from connectors.matching.names import core_name
from connectors.news import keys
from connectors.news.market import Press
from connectors.news.wires import wires_dataset
from connectors.us.company_lists import TICKERS
from connectors.us.register import MARKET


def _cores(names: pl.Series) -> pl.Series:
    return pl.Series([core_name(name, MARKET) if name else None for name in names], dtype=pl.String)


def _tickers(rows: pl.DataFrame) -> pl.Series:
    return keys.symbol_and_word(rows["ticker"], _cores(rows["name"]))


TICKER: Final = Key("symbol_word", _tickers)


def links(table: str) -> tuple[Link, ...]:
    """Links by ticker and the first word of the name."""
    return (Link(table, keys.by_symbol(MARKET, _cores), TICKERS.name, TICKER),)


PRESS: Final = Press(wires=(wires_dataset(MARKET),), links=links)
