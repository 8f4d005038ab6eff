"""Which records the texts of rejected rows name."""

from __future__ import annotations

from typing import Any

import polars as pl

from pipelines.steps.batch_figures import records_named_in
from tests.tables import check_cases
from warehouse.schema.types import Column, ColumnKind, Table

_TEXT = ColumnKind.TEXT
_COLUMNS = (Column("code", _TEXT, "c"), Column("number", _TEXT, "n"), Column("day", ColumnKind.DATE, "d"))
_BY_NUMBER = Table("xx_register", "rows", ("number",), _COLUMNS)
_BY_CODE = Table("xx_acts", "rows", ("code", "number"), _COLUMNS)
_BY_DAY = Table("xx_days", "rows", ("day",), _COLUMNS)


@check_cases(
    ("table", "number", "text", "is_named"),
    [
        (_BY_NUMBER, "912345678", "line 7 912345678;ja", True),
        (_BY_NUMBER, "912345678", "line 7 912345679;ja", False),
        (_BY_NUMBER, "1234567-8", "12345678", True),
        (_BY_NUMBER, "5560123456", "165560123456", True),
        (_BY_NUMBER, "5560123456", "556012-3456$ORGNR", True),
        (_BY_NUMBER, "0000320193", "CIK320193.json", True),
        (_BY_NUMBER, "12", "line 12 something else", False),
        (_BY_CODE, "912345678", "SE 912345678", True),  # the code is too short to tell anything
        (_BY_CODE, "912345678", "SE 812345678", False),
        (_BY_DAY, "912345678", "912345678", False),
    ],
)
def test_records_named_in_a_text(table: Table, number: str, text: str, is_named: bool) -> None:
    values: dict[str, Any] = {"code": ["SE"], "number": [number], "day": [None]}
    records = pl.DataFrame(values, schema={"code": pl.String, "number": pl.String, "day": pl.Date})
    found = records_named_in(pl.Series(["line 1 of others", text]), table, records)
    assert (found.columns, found.height) == (records.columns, int(is_named))


def test_records_named_in_no_text_are_none() -> None:
    records = pl.DataFrame({"code": ["SE"], "number": ["912345678"], "day": [None]})
    assert records_named_in(pl.Series([], dtype=pl.String), _BY_NUMBER, records).is_empty()
    assert records_named_in(pl.Series(["912345678"]), _BY_NUMBER, records.clear()).is_empty()
