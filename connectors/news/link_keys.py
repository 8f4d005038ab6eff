"""Link keys from a wire's item to its company where it has neither number nor LEI.

Belongs here: ticker with the first word of the name, and the name alone if the item itself states that it is of
the market and has no LEI. A name of few letters, or of one common word, does not identify a company
(docs/formats/news.md 5). A ticker counts on the market's own exchanges only: elsewhere it belongs to another
company. Does not belong here: normalising a register's names, which each market defines.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import polars as pl

from connectors.contract.dataset import ComputedKey
from connectors.news.issuer_evidence import MOST_SYMBOLS, OF_MARKET, nth_symbol
from connectors.news.schema import AUTHOR, LEI, SYMBOL
from name_matching.core_name import is_weak_core

Compared = Callable[[pl.Series], pl.Series]  # names to their normalised form, null where nothing is left


def by_core_name(core: Compared) -> ComputedKey:
    """The issuer's name without its legal form, normalised by the market; null if too weak."""
    return ComputedKey("author_name", partial(_strong_names, core))


def by_full_name(full_name: Compared) -> ComputedKey:
    """The issuer's full name, normalised by the market."""
    return ComputedKey("author_whole", partial(_near_names, full_name))


def by_symbol(market: str, core: Compared) -> tuple[ComputedKey, ...]:
    """Each ticker at an exchange of the market, with the first word of the name: tickers are reused."""
    names = ("symbol_name", *(f"symbol_name_{place}" for place in range(2, MOST_SYMBOLS + 1)))
    return tuple(
        ComputedKey(name, partial(_symbol_keys, OF_MARKET[market], core, place)) for place, name in enumerate(names)
    )


def symbol_and_word(symbols: pl.Series, names: pl.Series) -> pl.Series:
    """`DUNI|duni`; null if either is unknown. A share class in a ticker follows a blank, a point or a dash."""
    plain = symbols.str.to_uppercase().str.replace_all(r"[ .]", "-")
    return pl.select(pl.concat_str(plain, names.str.extract(r"^(\S+)"), separator="|")).to_series()


def _near_names(compared: Compared, rows: pl.DataFrame) -> pl.Series:
    """Names of items that state themselves that they are of the market; others may mean a namesake.

    If an item has an LEI, that identifies the issuer: the name given with an unknown LEI is a subsidiary's.
    """
    may_answer = pl.col("near") & pl.col(LEI).is_null()
    return compared(rows.select(pl.when(may_answer).then(pl.col(AUTHOR)).alias(AUTHOR)).to_series())


def _strong_names(core: Compared, rows: pl.DataFrame) -> pl.Series:
    names = _near_names(core, rows)
    return pl.Series([None if name is None or is_weak_core(name) else name for name in names], dtype=pl.String)


def _symbol_keys(exchanges: tuple[str, ...], core: Compared, place: int, rows: pl.DataFrame) -> pl.Series:
    symbol = nth_symbol(pl.col(SYMBOL), place)
    own = symbol.str.slice(0, 4).is_in(exchanges)
    tickers = rows.select(pl.when(own).then(symbol.str.replace(r"^.*:", "")).alias(SYMBOL))
    return symbol_and_word(tickers.to_series(), core(rows[AUTHOR]))
