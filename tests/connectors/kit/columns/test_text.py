"""Columns of names: what a reader does not see is no part of one."""

from __future__ import annotations

import polars as pl

from connectors.kit.columns.text import with_visible_names
from tests.tables import check_cases


@check_cases(
    ("written", "seen"),
    [
        ("Eksempel AS", "Eksempel AS"),
        ("Foto\u00adgraf AS", "Fotograf AS"),
        ("Uten\u200bbredde AS", "Utenbredde AS"),
        ("\ufeffMerke AS", "Merke AS"),
        ("Retning \u202eAS", "Retning AS"),
        ("Ko\u0308ln AB", "Köln AB"),
        ("Tab\tnavn\nAS", "Tab navn AS"),
        ("Nul\u0000l AS", "Null AS"),
        ("To  blanke\u00a0AS ", "To blanke AS"),
        ("\u200b", "\u200b"),  # a name of which nothing is visible is not made an empty one
        (None, None),
    ],
)
def test_visible_names_are_without_hidden_signs(written: str | None, seen: str | None) -> None:
    rows = pl.DataFrame({"name": [written, "Annen AS"], "previous_names": [[written or "-", "Før AS"], None]})
    found = with_visible_names(rows)
    assert found["name"].to_list() == [seen, "Annen AS"]
    assert found["previous_names"].to_list() == [[seen or "-", "Før AS"], None]
    assert found.schema == rows.schema


def test_visible_names_of_rows_without_names_are_the_same_rows() -> None:
    rows = pl.DataFrame({"company_id": ["x"], "title": ["a\u200b"]})
    assert with_visible_names(rows) is rows
