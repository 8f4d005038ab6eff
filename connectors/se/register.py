"""Shared by all Swedish datasets: hosts, licences, organisation numbers, and which numbers are personal.

Does not belong here: the columns of one dataset, or how records become a profile (`profile.companies`).
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import Licence
from warehouse.schema.identifiers import company_id

MARKET: Final = "SE"
HOST: Final = "vardefulla-datamangder.bolagsverket.se"
GATEWAY: Final = "gw.api.bolagsverket.se"
PREFIX: Final = company_id(MARKET, "")

# No licence is published per file; the directive's terms cover the whole set (docs/formats/se.md 13).
LICENCE: Final = Licence(
    name="HVD (EU) 2023/138",
    url="https://bolagsverket.se/apierochoppnadata/hamtaforetagsinformation/vardefulladatamangder.5528.html",
    attribution="Källa: Bolagsverket",
)
STATISTICS_LICENCE: Final = Licence(
    name="HVD (EU) 2023/138", url="https://www.scb.se/", attribution="Källa: Statistikmyndigheten SCB"
)
PLACES_NAME: Final = "CC BY 4.0"  # GeoNames' post codes, the source of `codes/postcodes.csv`
PLACES_URL: Final = "https://download.geonames.org/export/zip/"

_COMPANY: Final = re.compile(r"(?!302)\d{2}[2-9]\d{7}", re.ASCII)
_LEGAL_PERSON: Final = "16"  # precedes the ten digits in twelve-digit numbers
_LONG: Final = 12
# Days of registration outside of these are fillers or slips, as 0001-01-01 and 9999-12-31 (docs/formats/se.md 12);
# so are the ends of financial years
EARLIEST: Final = date(1600, 1, 1)


def is_possible_day(day: date, latest: date = date.max) -> bool:
    """False for a day on which nothing was registered or deregistered: a filler, or a slip of the year."""
    return EARLIEST <= day <= latest


def company_number(text: str) -> str | None:
    """Ten-digit company number; None if the number is, or may be, personal.

    Digits 3 and 4 of a personal number are a month, so the third is below two; 302… is given to persons without
    one (docs/formats/se.md 1). The check digit is ignored: the registry's own examples have wrong ones.
    """
    digits = text.replace("-", "").replace(" ", "")
    if len(digits) == _LONG and digits.startswith(_LEGAL_PERSON):
        digits = digits[2:]
    return digits if _COMPANY.fullmatch(digits) else None


def is_company(number: pl.Expr) -> pl.Expr:
    """True if ten digits are a company's; false for null."""
    first = number.cast(pl.UInt64, strict=False) // 10_000_000  # the first three digits
    ten = (number.str.len_bytes() == 10) & ~number.str.starts_with("+")  # noqa: PLR2004 - digits
    return (ten & (first % 10 >= 2) & (first != 302)).fill_null(value=False)  # noqa: PLR2004 - docs/formats/se.md 1


def company_ids(number: pl.Expr) -> pl.Expr:
    """`firm:SE:<organisationsnummer>` of a column of numbers."""
    return pl.lit(PREFIX) + number
