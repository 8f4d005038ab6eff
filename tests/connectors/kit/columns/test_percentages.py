"""Percentages of texts: every one fits the column that holds it."""

from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.kit import staging
from connectors.kit.columns.percentages import percentage_from_text
from tests.tables import check_cases
from warehouse.schema.types import Column, ColumnKind, Table

TABLE = Table("held", "Shares.", ("share",), (Column("share", ColumnKind.PERCENT, "share"),))


@check_cases(
    ("digits", "due"),
    [
        ("15", "15"),
        ("15,30", "15.30"),
        ("0.1234", "0.1234"),
        ("15.0199999999999996", "15.0200"),
        ("0,00005", "0.0000"),
        ("0,00015", "0.0002"),
        ("4.99994", "4.9999"),
        ("4.99995", "4.9999"),  # below a whole percent is not at it: five is a threshold
        ("4,9999999", "4.9999"),
        ("99.99995", "99.9999"),
        ("4.9999999999999996", "5.0000"),  # a spreadsheet's 5, whose fifteen digits are all that it knows
        ("5.00004", "5.0000"),
        ("5.00006", "5.0001"),
        ("15." + "0" * 40, "15.0000"),
    ],
)
def test_what_is_written(digits: str, due: str) -> None:
    assert str(percentage_from_text(digits)) == due


@given(st.from_regex(r"[0-9]{1,2}(?:[.,][0-9]{1,60})?", fullmatch=True))
def test_every_one_fits_the_column(digits: str) -> None:
    [share] = staging.make_batch(TABLE, [{"share": percentage_from_text(digits)}]).rows["share"]
    stated = Decimal(digits.replace(",", "."))
    assert abs(share - stated) <= Decimal("0.0001")
    assert share // 1 <= (stated + Decimal("1e-12")) // 1, "no whole percent is reached from below"


def test_what_is_longer_than_a_decimal_can_be_fits_no_column_as_it_is() -> None:
    """Why places are cut where they are read: polars refuses the whole batch, whatever the value."""
    with pytest.raises(RuntimeError, match="too large"):
        pl.DataFrame([{"share": Decimal("15." + "0" * 40)}], schema={"share": pl.Decimal(9, 4)}, orient="row")
