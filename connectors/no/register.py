"""Common to all datasets of Brønnøysundregistrene: host, licence, company ids, check digits, pages.

Does not belong here: the columns of one dataset, or mapping a record to a profile (`profile.companies`).
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Final

import polars as pl

from connectors.contract.dataset import Licence
from connectors.kit.staging import SignalCounter, count_signals
from warehouse.schema.identifiers import company_id

MARKET: Final = "NO"
HOST: Final = "data.brreg.no"
API_URL: Final = f"https://{HOST}/enhetsregisteret/api/"
ENTITY_URL: Final = f"{API_URL}enheter/"
ACCOUNTS_URL: Final = f"https://{HOST}/regnskapsregisteret/regnskap/"

LICENCE: Final = Licence(
    name="NLOD-2.0",
    url="https://data.norge.no/nlod/no/2.0",
    attribution="Inneholder data under norsk lisens for offentlige data (NLOD) tilgjengeliggjort av "
    "Brønnøysundregistrene",
)

# Weights 3 2 7 6 5 4 3 2, and 1 for the check digit, must sum to a multiple of 11. A digit is a quotient minus ten
# times the next one, and ten is -1 modulo 11: so the quotients can be summed, each with its own weight plus the
# weight to its right, which halves the work on a million numbers. The weight of place 5 vanishes (6 + 5 = 11).
_QUOTIENT_WEIGHTS: Final = ((0, 1), (1, 3), (2, 5), (3, 7), (4, 9), (6, 2), (7, 9), (8, 5))
_PREFIX: Final = company_id(MARKET, "")


def company_ids(number: pl.Expr) -> pl.Expr:
    """`firm:NO:<organisasjonsnummer>` of a column of organisation numbers."""
    return pl.lit(_PREFIX) + number


def is_number(number: pl.Expr) -> pl.Expr:
    """True for nine digits.

    The check digit is not verified: registers contain numbers with an invalid one.
    """
    return number.str.contains(r"^[0-9]{9}$").fill_null(value=False)


def has_check_digit(number: pl.Expr) -> pl.Expr:
    """True if the modulus 11 check over all nine digits holds; null if the value is not a number."""
    value = number.cast(pl.UInt32, strict=False)
    return reduce(add, (value // 10**place * weight for place, weight in _QUOTIENT_WEIGHTS)) % 11 == 0


def count_wrong_check_digits(rows: pl.DataFrame, column: str, tally: SignalCounter) -> None:
    """Signals numbers with an invalid check digit; they are kept."""
    wrong = rows.select(~has_check_digit(pl.col(column))).to_series()
    count_signals(tally, "wrong_check_digit", column, rows[column].filter(wrong))


def has_valid_check_digit(number: str) -> bool:
    """True if a text is nine digits with a valid check digit."""
    weights = (3, 2, 7, 6, 5, 4, 3, 2, 1)
    return (
        len(number) == len(weights)
        and number.isascii()
        and number.isdigit()
        and not (sum(weight * int(digit) for weight, digit in zip(weights, number, strict=True)) % 11)
    )
