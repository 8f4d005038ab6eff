"""Common to the datasets of Erhvervsstyrelsen: hosts, licence, company ids, numbers (docs/formats/dk.md 1).

Does not belong here: the columns of one dataset, or mapping a record to a profile (`profile.companies`).
"""

from __future__ import annotations

from operator import mul
from typing import Final

import polars as pl

from connectors.contract.dataset import HostLimit, HostSecret, Licence
from warehouse.schema.identifiers import company_id
from warehouse.schema.markets import MARKETS

MARKET: Final = "DK"
HOST: Final = "distribution.virk.dk"
DOCUMENT_HOST: Final = "regnskaber.virk.dk"
INDEX_URL: Final = f"http://{HOST}/cvr-permanent"  # plain HTTP: port 443 does not answer
PUBLIC_PAGE: Final = "https://datacvr.virk.dk/enhed/virksomhed/"
DIGITS: Final = 8
_BEYOND: Final = 10**DIGITS

LICENCE: Final = Licence(
    name="CVR, free re-use",
    url="https://datacvr.virk.dk/artikel/vilkaar-og-betingelser",
    attribution="Kilde: Erhvervsstyrelsen, CVR",
)
# a company that is protected from advertising: whoever passes it on must pass that on, too
PROTECTED_LICENCE: Final = f"{LICENCE.name}, no unsolicited advertising (reklamebeskyttet)"
SECRETS: Final = (
    HostSecret(
        HOST, "system-to-system account of CVR (cvrselvbetjening@erst.dk)", f"{INDEX_URL}/virksomhed/_search?size=0"
    ),
)
LIMITS: Final = (HostLimit(HOST, 1.0), HostLimit(DOCUMENT_HOST, 4.0))  # none is published
_NUMBER: Final = MARKETS[MARKET].number
_PREFIX: Final = company_id(MARKET, "")


def company_ids(number: pl.Expr) -> pl.Expr:
    """`firm:DK:<CVR number>` of a column of canonical numbers; null for null."""
    return pl.lit(_PREFIX) + number


def canonical_number(stated: object) -> str | None:
    """Eight digits of a number as JSON states it: an integer without leading zeros, or text; None for others.

    The check digit is not verified: the register may issue numbers without it (docs/formats/dk.md 1).
    """
    if isinstance(stated, int) and not isinstance(stated, bool):
        return f"{stated:0{DIGITS}}" if 0 < stated < _BEYOND else None
    text = stated.strip() if isinstance(stated, str) else ""
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS and int(text)):
        return None
    return text.rjust(DIGITS, "0")


def has_check_digit(number: str) -> bool:
    """True if the weighted sum of the digits is a multiple of 11."""
    return sum(map(mul, map(int, number), _NUMBER.weights)) % _NUMBER.modulo == 0
