"""Link keys from a wire's item to its company where it has neither number nor LEI.

Belongs here: ticker with the first word of the name or with all of them, and the name alone if the item itself
states that it is of the market and has no LEI. A name of few letters, or of one common word, does not identify a
company (docs/formats/news.md 5). A ticker counts on the market's own exchanges only: elsewhere it belongs to another
company. Does not belong here: normalising a register's names, which each market defines.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey
from connectors.news.issuer_evidence import MOST_SYMBOLS, OF_MARKET, nth_symbol
from connectors.news.schema import AUTHOR, LEI, SYMBOL
from name_matching.core_name import is_weak_core, split_core_and_forms
from name_matching.legal_forms import RENDERED_IN, RENDERINGS

_SUFFIXES: Final = ((r"-PR-?([A-Z]?)$", "-P$1"), (r"-WS-?([A-Z]?)$", "-WT$1"), (r"-U$", "-UN"), (r"-RT$", "-RI"))

Named = Callable[[pl.Series, pl.Series], pl.Series]  # symbols and names to keys
Compared = Callable[[pl.Series], pl.Series]  # names to their normalised form, null where nothing is left


def by_core_name(core: Compared, market: str | None = None, forms: AbstractSet[str] = frozenset()) -> ComputedKey:
    """The issuer's name without its legal form, normalised by the market; null if too weak.

    forms: of the market's companies that issue shares. A name that states another one is another company's: of another
    country, or a namesake. Without a market every form counts for nothing.
    """
    able = forms | RENDERINGS if market in RENDERED_IN else forms
    return ComputedKey("author_name", partial(_strong_names, core, market, able))


def by_full_name(full_name: Compared) -> ComputedKey:
    """The issuer's full name, normalised by the market."""
    return ComputedKey("author_whole", partial(_near_names, full_name))


def symbol_and_word(symbols: pl.Series, names: pl.Series) -> pl.Series:
    """`DUNI|duni`; null if either is unknown."""
    return pl.select(pl.concat_str(plain_symbols(symbols), names.str.extract(r"^(\S+)"), separator="|")).to_series()


def symbol_and_words(symbols: pl.Series, names: pl.Series) -> pl.Series:
    """`TROW|group price rowe t`, whatever the order of the words; null if either is unknown.

    The SEC's list puts last names first: «PRICE T ROWE GROUP», and «GRAINGER W W» for «W.W. Grainger».
    """
    words = names.str.replace_all(r"\b(\w) (\w)\b", "$1$2").str.split(" ").list.sort().list.join(" ")
    return pl.select(pl.concat_str(plain_symbols(symbols), words, separator="|")).to_series()


def by_symbol(market: str, core: Compared, key: Named = symbol_and_word, name: str = "name") -> tuple[ComputedKey, ...]:
    """Each ticker at an exchange of the market, by default with the first word of the name: tickers are reused."""
    names = (f"symbol_{name}", *(f"symbol_{name}_{place}" for place in range(2, MOST_SYMBOLS + 1)))
    return tuple(
        ComputedKey(one, partial(_symbol_keys, OF_MARKET[market], core, key, place)) for place, one in enumerate(names)
    )


def plain_symbols(symbols: pl.Series) -> pl.Series:
    """Symbols in the one spelling of the SEC, in which a class follows a dash, and others a sign for what they are.

    «BRK.B» and «BRK B» are BRK-B, the preferred «ABR PR D» and «ABR.PRD» ABR-PD, the unit «ACM.U» ACM-UN, the warrants
    «ACM.WS» and «ACM WS A» ACM-WT and ACM-WTA.
    """
    plain = symbols.str.to_uppercase().str.replace_all(r"[ .]", "-")
    for written, spelling in _SUFFIXES:
        plain = plain.str.replace(written, spelling)
    return plain


def _near_names(compared: Compared, rows: pl.DataFrame) -> pl.Series:
    """Names of items that state themselves that they are of the market; others may mean a namesake.

    If an item has an LEI, that identifies the issuer: the name given with an unknown LEI is a subsidiary's.
    """
    may_answer = pl.col("near") & pl.col(LEI).is_null()
    return compared(rows.select(pl.when(may_answer).then(pl.col(AUTHOR)).alias(AUTHOR)).to_series())


def _strong_names(core: Compared, market: str | None, forms: AbstractSet[str], rows: pl.DataFrame) -> pl.Series:
    def is_able(name: str | None, author: str) -> bool:
        return name is not None and not is_weak_core(name) and (market is None or stated_forms(author, market) <= forms)

    named = zip(_near_names(core, rows), rows[AUTHOR], strict=True)
    return pl.Series([name if is_able(name, author) else None for name, author in named], dtype=pl.String)


def stated_forms(name: str, market: str) -> AbstractSet[str]:
    """The legal forms that a name states, each in the market's one spelling."""
    return frozenset(split_core_and_forms(name, market).forms.split())


def _symbol_keys(exchanges: tuple[str, ...], core: Compared, key: Named, place: int, rows: pl.DataFrame) -> pl.Series:
    symbol = nth_symbol(pl.col(SYMBOL), place)
    own = symbol.str.slice(0, 4).is_in(exchanges)
    tickers = rows.select(pl.when(own).then(symbol.str.replace(r"^.*:", "")).alias(SYMBOL))
    return key(tickers.to_series(), core(rows[AUTHOR]))
