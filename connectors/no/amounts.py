"""Amounts of accounts: exact reading to whole units, and the sums that must hold.

Belongs here: what the open API and the mass file share. A difference is never corrected and never rejects a
filing (totals differ by a unit or by minority interests in genuine ones): it is a signal. Does not belong
here: which amount is which shared figure (`financials`).
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from functools import reduce
from operator import add
from typing import Final

import polars as pl

from connectors.kit.staged import Tally
from connectors.no.counting import count
from connectors.no.regnskap_fields import Identity
from warehouse.schema.types import LARGEST_INTEGER

_GROSS: Final = 0.01  # docs/formats/no.md 6.3: below one per cent a difference is ordinary


class Misread(Exception):  # noqa: N818 - says what the value is
    """A value of another kind than was due; the message holds it."""


def whole(value: object) -> int | None:
    """Whole currency units, halves to even.

    Null stays null, and text, infinities and booleans are no amounts.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
        raise Misread(f"{value!r} is no amount")
    try:
        amount = int(Decimal(value).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))
    except (InvalidOperation, ValueError, OverflowError) as error:
        raise Misread(f"{value!r} is no amount") from error
    if abs(amount) > LARGEST_INTEGER:
        raise Misread(f"{value!r} is too large for an amount")
    return amount


def audit(rows: pl.DataFrame, identities: tuple[Identity, ...], example: str, tally: Tally) -> None:
    """Count filings whose totals are not the sum of their parts, where all of them are given."""
    for subject, total, parts in identities:
        given = reduce(add, (pl.col(name) * sign for sign, name in parts))
        apart = rows.select(
            pl.col(example), (pl.col(total) - given).abs().alias("by"), pl.col(total).abs().alias("of")
        )
        apart = apart.filter(pl.col("by") > 0)
        gross = pl.col("by") > pl.col("of") * _GROSS
        for code, found in (
            ("arithmetic_difference", apart.filter(~gross)),
            ("arithmetic_mismatch", apart.filter(gross)),
        ):
            count(tally, code, subject, found[example])
