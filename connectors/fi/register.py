"""Common to all datasets of the Finnish register office (PRH): host, licence, business ids, code lists, errors.

Does not belong here: the fields of one dataset, or mapping records to a profile (`profile.companies`).
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import polars as pl
from stdnum.fi import ytunnus

from connectors.contract.dataset import HostLimit, Licence
from connectors.kit.code_lists import load_code_list
from warehouse.schema.identifiers import company_id

MARKET: Final = "FI"
HOST: Final = "avoindata.prh.fi"
LIMIT: Final = HostLimit(HOST, 1.0)  # the service allows 300 requests a minute for all its users together
COMPANIES_URL: Final = f"https://{HOST}/opendata-ytj-api/v3"
STATEMENTS_URL: Final = f"https://{HOST}/opendata-xbrl-api/v3"
NOTICES_URL: Final = f"https://{HOST}/opendata-registerednotices-api/v3"
ZONE: Final = ZoneInfo("Europe/Helsinki")
PREFIX: Final = company_id(MARKET, "")
MUNICIPALITIES: Final = load_code_list("connectors.fi", "municipalities")  # with their regions
POST_CODES: Final = load_code_list("connectors.fi", "postcodes")  # with their municipality

LICENCE: Final = Licence(
    name="CC BY 4.0",
    url="https://creativecommons.org/licenses/by/4.0/",
    attribution="Lähde: Patentti- ja rekisterihallitus (PRH) ja Verohallinto",
)

_NUMBER: Final = re.compile(r"(\d{6,7})-?(\d)", re.ASCII)
_DASHES: Final = str.maketrans(
    {"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-"}
)
_SEVEN: Final = 7


def parse_business_id(text: str | None) -> str | None:
    """Normalises a business id to `0112038-9` from any spelling in docs/formats/fi.md 1; None if invalid.

    Old ids have six digits and get a leading zero. The check digit is not verified here (`has_check_digit`).
    """
    bare = "".join((text or "").translate(_DASHES).split()).upper().removeprefix("FI")
    found = _NUMBER.fullmatch(bare)
    return f"{found.group(1).zfill(_SEVEN)}-{found.group(2)}" if found else None


def has_check_digit(number: str) -> bool:
    """True if the check digit of a canonical id is valid (weights 7 9 10 5 8 4 2, modulo 11)."""
    return ytunnus.is_valid(number)


def finnish_day(instant: datetime) -> date:
    """The day in Finland at an instant."""
    return instant.astimezone(ZONE).date()


def company_ids(number: pl.Expr) -> pl.Expr:
    """`firm:FI:<Y-tunnus>` of a column of canonical ids."""
    return pl.lit(PREFIX) + number


def error_body_reason(body: Any) -> str | None:
    """The message of an error body of the service; None for other bodies.

    See docs/formats/fi.md 0: `errorcode`, `message`.
    """
    if not isinstance(body, dict) or "errorcode" not in body:
        return None
    return f"error answer of the service (errorcode {body['errorcode']})"
