"""News sources for Swedish issuers: Nasdaq, MFN, Cision, the wires, Finansinspektionen's storage.

Belongs here: naming them, and linking a wire's item to its company. Does not belong here: reading any of them.
"""

from __future__ import annotations

from typing import Final

from connectors.declare import Link
from connectors.nasdaq.news import items_of
from connectors.news import keys
from connectors.news.cision import cision_dataset
from connectors.news.market import Press, by_isin
from connectors.news.mfn import mfn_dataset
from connectors.news.wires import wires_dataset
from connectors.se import finanscentralen, nasdaq
from connectors.se.bolagsverket_fields import ORGANISATIONS
from connectors.se.issuer_links import COMPANY_NAME, core
from connectors.se.issuers import INSIDER_ISSUERS, SHORTS_ISSUERS
from connectors.se.register import MARKET


def links(table: str) -> tuple[Link, ...]:
    """Links of a wire table: by ISIN through the insider and short position registers, then by name."""
    return (
        by_isin(table, INSIDER_ISSUERS, "isin"),
        by_isin(table, SHORTS_ISSUERS, "isin"),
        Link(table, keys.by_name(core), ORGANISATIONS.name, COMPANY_NAME),
    )


PRESS: Final = Press(
    wires=(mfn_dataset(MARKET), wires_dataset(MARKET), cision_dataset(MARKET), finanscentralen.DATASET),
    told={nasdaq.RELEASES.name: items_of(nasdaq.KEY)},
    links=links,
)
