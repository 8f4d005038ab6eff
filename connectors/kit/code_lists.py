"""Code lists of a package (`connectors/<cc>/codes/*.csv`): labels of code columns, unknown codes counted.

A list is UTF-8, comma separated, with a header; columns other than `label` are looked up by their name.
Does not belong here: any one list, or what a code means for a shared table.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import polars as pl

from connectors.kit.staging import SignalCounter, count_subjects


@dataclass(frozen=True, slots=True)
class CodeList:
    """One list: `columns` by the names of the header, each code -> value (absent where empty)."""

    name: str
    codes: frozenset[str]
    columns: Mapping[str, Mapping[str, str]]

    def __contains__(self, code: object) -> bool:
        return code in self.codes

    def get(self, code: str | None, column: str = "label") -> str | None:
        """Value of one code; None if there is none."""
        values = self.columns[column]
        return None if code is None else values.get(code)

    def expr(self, code: pl.Expr | str, column: str = "label") -> pl.Expr:
        """Value of each code; null for null and for unknown codes."""
        source = pl.col(code) if isinstance(code, str) else code
        values = self.columns[column]
        return source.replace_strict(list(values), list(values.values()), default=None, return_dtype=pl.String)

    def audit(
        self, rows: pl.DataFrame, column: str, example: str, tally: SignalCounter, signal: str = "unknown_code"
    ) -> None:
        """Counts codes of `rows[column]` missing from the list; `example` is the column with company numbers."""
        if self.codes | {None} >= set(rows[column].unique().to_list()):
            return  # the usual case, decided from the few distinct codes
        unknown = rows.filter(pl.col(column).is_not_null() & ~pl.col(column).is_in(list(self.codes)))
        count_subjects(tally, signal, unknown.select(subject=column, example=example))


@cache
def load_code_list(package: str, name: str, code: str = "code") -> CodeList:
    """Loads `codes/<name>.csv` of a package (`load_code_list("connectors.<cc>", "legal_forms")`) once."""
    text = files(package).joinpath("codes", f"{name}.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    codes = [row[code] for row in rows]
    if len(set(codes)) != len(codes):
        twice = sorted({value for value in codes if codes.count(value) > 1})
        raise ValueError(f"code list {name} of {package} has a code twice: {', '.join(twice)}")
    fields = [field for field in (rows[0] if rows else {}) if field != code]
    columns = {field: {row[code]: row[field] for row in rows if row[field]} for field in fields}
    return CodeList(name, frozenset(codes), columns)
