"""Parses amounts of accounts exactly to whole units, and checks that totals equal the sum of their parts.

Belongs here: what the open API and the mass file share. A difference is never corrected and never rejects a
filing (genuine totals differ by a unit or by minority interests): it is a signal. Does not belong here: which
amount is which shared figure (`mapping`).
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from functools import reduce
from operator import add
from typing import Final

import polars as pl

from connectors.kit.staging import SignalCounter, count_signals
from connectors.no.regnskap.schema import Identity
from warehouse.schema.types import LARGEST_INTEGER

# Decimal accepts more than registers write: «1_000», digits of other scripts
_WRITTEN: Final = re.compile(r"\s*[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?\s*")
_GROSS: Final = 0.01  # docs/formats/no.md 6.3: differences below 1 % are normal


class InvalidAmountError(Exception):
    """A value of an unexpected type; the message contains it."""


def to_whole_units(value: object) -> int | None:
    """Rounds to whole currency units, halves to even.

    Null stays null; other text than a plain number, infinities and booleans are rejected.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
        raise InvalidAmountError(f"{value!r} is no amount")
    if isinstance(value, str) and not _WRITTEN.fullmatch(value):
        raise InvalidAmountError(f"{value!r} is no amount")
    try:
        amount = int(Decimal(value).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))
    except (InvalidOperation, ValueError, OverflowError) as error:
        raise InvalidAmountError(f"{value!r} is no amount") from error
    if abs(amount) > LARGEST_INTEGER:
        raise InvalidAmountError(f"{value!r} is too large for an amount")
    return amount


def check_totals(rows: pl.DataFrame, identities: tuple[Identity, ...], example: str, tally: SignalCounter) -> None:
    """Counts filings in which all parts of a total are given but do not sum to it."""
    apart_by = [
        (pl.col(total) - reduce(add, (pl.col(name) * sign for sign, name in parts))).abs().alias("by")
        for _, total, parts in identities
    ]
    differs = rows.select((by > 0).any().alias(str(place)) for place, by in enumerate(apart_by)).row(0)
    for by, (subject, total, _), is_apart in zip(apart_by, identities, differs, strict=True):
        if not is_apart:
            continue
        apart = rows.select(pl.col(example), by, pl.col(total).abs().alias("of")).filter(pl.col("by") > 0)
        gross = pl.col("by") > pl.col("of") * _GROSS
        for code, found in (
            ("arithmetic_difference", apart.filter(~gross)),
            ("arithmetic_mismatch", apart.filter(gross)),
        ):
            count_signals(tally, code, subject, found[example])
