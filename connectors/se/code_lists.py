"""Code lists of the registers (`codes/*.csv`) and the industry classification a snapshot uses.

Does not belong here: labels contained in API responses, which are used as delivered.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Final

import polars as pl

from connectors.kit.code_lists import load_code_list

LEGAL_FORMS: Final = load_code_list("connectors.se", "legal_forms")
DEREGISTRATIONS: Final = load_code_list("connectors.se", "deregistrations")
PROCEEDINGS: Final = load_code_list("connectors.se", "proceedings")
PROCEEDING_ENDS: Final = load_code_list("connectors.se", "proceeding_ends")  # `of`: the proceeding that has ended
STATISTICAL_FORMS: Final = load_code_list("connectors.se", "statistical_forms")
COUNTIES: Final = load_code_list("connectors.se", "counties")
MUNICIPALITIES: Final = load_code_list("connectors.se", "municipalities")
SNI2007: Final = load_code_list("connectors.se", "sni2007")
SNI2025: Final = load_code_list("connectors.se", "sni2025")

OLD_CODES: Final = "SNI2007"
NEW_CODES: Final = "SNI2025"
_SWITCHED: Final = 2026  # first year of snapshots with SNI 2025 (docs/formats/se.md 7.1)
# Codes of one list alone: such a code tells its version, whatever the snapshot's date
_DECIDED: Final = {
    **dict.fromkeys(SNI2007.codes - SNI2025.codes, OLD_CODES),
    **dict.fromkeys(SNI2025.codes - SNI2007.codes, NEW_CODES),
}


def names_an_end(reason: str) -> pl.Expr:
    """True for a known reason of deregistration: it ends an organisation, though no day be stated beside it."""
    return pl.col(reason).is_in(list(DEREGISTRATIONS.codes)).fill_null(value=False)


def industry_schemes(code: pl.Expr, observed_at: datetime) -> pl.Expr:
    """Version of each industry code of a snapshot; records do not state it.

    The list that alone has the code decides; the date of the snapshot where both have it, since the register switched
    as a whole. A code of neither list has no version: a later classification has five digits, too.
    """
    return code.replace_strict(_version_by_code(observed_at.year), default=None, return_dtype=pl.String)


def industry_scheme(code: str, observed_at: datetime) -> str | None:
    """Version of one industry code (`industry_schemes`)."""
    return _version_by_code(observed_at.year).get(code)


@cache
def _version_by_code(year: int) -> Mapping[str, str]:
    """Version of every code of either list, in a snapshot of a year."""
    of_day = OLD_CODES if year < _SWITCHED else NEW_CODES
    return _DECIDED | dict.fromkeys(SNI2007.codes & SNI2025.codes, of_day)


def industry_labels(code: str, scheme: str) -> pl.Expr:
    """Labels of a column of codes by the version in another column; null for a code that this version lacks."""
    return (
        pl.when(pl.col(scheme) == OLD_CODES)
        .then(SNI2007.expr(code))
        .when(pl.col(scheme) == NEW_CODES)
        .then(SNI2025.expr(code))
    )
