"""News sources for Norwegian issuers: NewsWeb, MFN and the wires.

Belongs here: the list of sources, and the links from a wire's item to its company. Does not belong here: reading
any of them.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.declare import Key, Link
from connectors.news import keys
from connectors.news.market import Press, by_isin
from connectors.news.mfn import mfn_dataset
from connectors.news.wires import wires_dataset
from connectors.no import newsweb_news
from connectors.no.enheter_fields import ENTITIES
from connectors.no.euronext import SHARES
from connectors.no.issuer_names import core, entity_key, whole
from connectors.no.newsweb_fields import MESSAGES
from connectors.no.register import MARKET


def _cores(names: pl.Series) -> pl.Series:
    return pl.Series([core(name) if name else None for name in names], dtype=pl.String)


def _wholes(names: pl.Series) -> pl.Series:
    return pl.Series([whole(name) if name else None for name in names], dtype=pl.String)


def _shares(rows: pl.DataFrame) -> pl.Series:
    return keys.symbol_and_word(rows["Symbol"], _cores(rows["Name"]))


SHARE: Final = Key("symbol_word", _shares)


def links(table: str) -> tuple[Link, ...]:
    """Links by ISIN and ticker through the Oslo list, then by name: first the whole name, then the core."""
    return (
        by_isin(table, SHARES, "ISIN"),
        Link(table, keys.by_symbol(MARKET, _cores), SHARES.name, SHARE),
        Link(table, keys.by_full_name(_wholes), ENTITIES.name, entity_key(whole)),
        Link(table, keys.by_name(_cores), ENTITIES.name, entity_key(core)),
    )


PRESS: Final = Press(
    wires=(mfn_dataset(MARKET), wires_dataset(MARKET)),
    told={MESSAGES.name: newsweb_news.items},
    links=links,
)
