"""Finansinspektionen's registers as links between an issuer's name, LEI and ISINs.

Belongs here: host, licence and the staged tables of both registers. The links have no organisation number: an
issuer is resolved to a company by LEI, across markets, so staged rows have no company id. Does not belong here:
reading (`insider_register`, `short_positions`), or transactions and positions, which stay in RAW.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from stdnum import isin as stdnum_isin

from connectors.contract.dataset import Licence
from warehouse.schema.types import Column, ColumnKind, Table

INSIDER_HOST: Final = "marknadssok.fi.se"
SHORTS_HOST: Final = "www.fi.se"
LICENCE: Final = Licence(name="public register", url="https://www.fi.se/", attribution="Källa: Finansinspektionen")
INSIDER_KEY: Final = "se.insyn"
SHORTS_KEY: Final = "se.blankning"
_LEI: Final = re.compile(r"[A-Z0-9]{18}\d{2}")
_ISIN: Final = re.compile(r"[A-Z]{2}[A-Z0-9]{9}\d")

_DAYS: Final = (
    Column("first_day", ColumnKind.DATE, "first day of a record of this link in the file", nullable=False),
    Column("last_day", ColumnKind.DATE, "last day of one", nullable=False),
)
INSIDER_ISSUERS: Final = Table(
    "se_insyn_emittent",
    "Issuers that insiders of them reported trades in, as one export names them.",
    ("emittent", "lei", "isin"),
    (
        Column("emittent", ColumnKind.TEXT, "name of the issuer", nullable=False),
        Column("lei", ColumnKind.TEXT, "LEI; empty text where the report has none", nullable=False),
        Column("isin", ColumnKind.TEXT, "ISIN; empty text where the report has none", nullable=False),
        Column("handelsplats", ColumnKind.TEXT, "venue of the last trade on one"),
        *_DAYS,
    ),
)
SHORTS_ISSUERS: Final = Table(
    "se_blankning_emittent",
    "Issuers that net short positions are reported in.",
    ("emittent", "isin"),
    (
        Column("emittent", ColumnKind.TEXT, "name of the issuer", nullable=False),
        Column("isin", ColumnKind.TEXT, "ISIN", nullable=False),
        *_DAYS,
    ),
)


def is_lei_shaped(text: str) -> bool:
    """True for the form of an LEI; a wrong one finds no record, so that its check digits need no look."""
    return _LEI.fullmatch(text) is not None


@cache
def is_isin(text: str) -> bool:
    """True for an ISIN with a right check digit; cached, since a few hundred stand in tens of thousands of rows."""
    return _ISIN.fullmatch(text) is not None and stdnum_isin.is_valid(text)
