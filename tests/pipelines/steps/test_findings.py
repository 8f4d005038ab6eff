"""What a normalised run tells of its records: two files of one instant that state one record differently."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import polars as pl

from pipelines.steps.findings import differing_file_signals, finding_lines, watch_differing_files
from tests.tables import check_cases
from warehouse.schema.types import Column, ColumnKind, Table

AT = datetime(2026, 11, 18, tzinfo=UTC)
LATER = datetime(2026, 11, 19, tzinfo=UTC)
COLUMNS = (
    Column("number", ColumnKind.TEXT, "", nullable=False),
    Column("name", ColumnKind.TEXT, ""),
    Column("entry", ColumnKind.INTEGER, "", business=False),
)
REGISTER = Table("xx_register", "", ("number",), COLUMNS)
FEED = Table("xx_feed", "", ("number",), COLUMNS, sequence="entry")


def row(piece: str, name: str | None, at: datetime = AT, number: str = "1") -> dict[str, Any]:
    return {"number": number, "name": name, "entry": 1, "_observed_at": at, "_piece": piece}


@check_cases(
    ("second", "is_told"),
    [
        (row("b.json", "Beta AS"), True),
        (row("b.json", "Alfa AS"), False),
        (row("b.json", None), False),  # a file that does not state a value contradicts no other
        (row("a.json", "Beta AS"), False),  # what one file has twice is its reader's
        (row("b.json", "Beta AS", LATER), False),
        (row("b.json", "Beta AS", number="2"), False),
    ],
)
def test_differing_file_signals_tell_of_records_that_two_files_state_differently(
    second: dict[str, Any], is_told: bool
) -> None:
    rows = pl.DataFrame([row("a.json", "Alfa AS"), second])
    told = [(one.code, one.subject, one.count, one.examples) for one in differing_file_signals("xx", REGISTER, rows)]
    assert told == [("differing_files", "xx_register", 1, ("1",))] * is_told
    assert differing_file_signals("xx", FEED, rows) == []  # entries of a feed follow each other


def test_watch_differing_files_gives_every_row_and_gathers_the_signals() -> None:
    chunks = [pl.DataFrame([row("a.json", "Alfa AS"), row("b.json", "Beta AS")]), pl.DataFrame([row("c.json", "C")])]
    signals: list[Any] = []
    assert [len(rows) for rows in watch_differing_files("xx", REGISTER, chunks, signals)] == [2, 1]
    [line] = finding_lines("XX", signals, {}, {}, {})
    assert line.startswith("xx: 1 record of xx_register is in two files of one instant with different values")
