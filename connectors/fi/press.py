"""News sources for Finnish issuers: Nasdaq, the official storage oam.fi, MFN and the wires.

Belongs here: the list of sources, and the links from a wire's item to its company. Does not belong here: reading
any of them.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.declare import Link
from connectors.fi import nasdaq, oam
from connectors.fi.register import MARKET
from connectors.fi.ytj_fields import COMPANIES
from connectors.nasdaq.fields import ISSUER
from connectors.nasdaq.names import issuer_key
from connectors.nasdaq.news import items_of
from connectors.news import keys
from connectors.news.market import Press
from connectors.news.mfn import mfn_dataset
from connectors.news.wires import wires_dataset


def _labels(names: pl.Series) -> pl.Series:
    return pl.Series([issuer_key(name) if name else None for name in names], dtype=pl.String)


def links(table: str) -> tuple[Link, ...]:
    """Links by name only: no Finnish register has ISINs."""
    return (Link(table, keys.by_name(_labels), COMPANIES.name, ISSUER),)


PRESS: Final = Press(
    wires=(mfn_dataset(MARKET), wires_dataset(MARKET), oam.DATASET),
    told={nasdaq.RELEASES.name: items_of(nasdaq.RELEASES_KEY)},
    links=links,
)
