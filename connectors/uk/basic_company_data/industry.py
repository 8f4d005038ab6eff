"""Parses a company's first industry code: code, label and scheme from one cell of BasicCompanyData.

See docs/formats/uk.md 3.

Belongs here: splitting `62020 - Information technology consultancy activities`. Five digits are UK SIC 2007, four
are UK SIC 2003, still used by companies that changed nothing since 2011. Does not belong here: cells of REST
responses (`profile.live` writes them in the same form).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit import code_lists

CELL: Final = "SICCode.SicText_1"
NONE: Final = "none supplied"
PATTERN: Final = r"^\s*(\d{4,5})\s*(?:-\s*(.*))?$"
_SCHEMES: Final = {5: "UKSIC2007", 4: "UKSIC2003"}
FIELDS: Final = ("industry_code", "industry_label", "industry_scheme")


def with_industry(rows: pl.DataFrame) -> pl.DataFrame:
    """Adds the FIELDS of the first cell; null if it is empty or malformed.

    Millions of rows have a few thousand distinct cells: each is parsed once. Row order is kept.
    """
    cell = pl.col("_cell")
    cells = rows.select(_cell=pl.col(CELL).unique()).drop_nulls()
    code, label = (cell.str.extract(PATTERN, group).str.strip_chars() for group in (1, 2))
    listed = code_lists.load_code_list("connectors.uk", "sic").expr(code, "label")
    parts = cells.select(
        "_cell",
        industry_code=code,
        industry_label=pl.coalesce(pl.when(label != "").then(label), listed),
        industry_scheme=code.str.len_chars().replace_strict(_SCHEMES, default=None, return_dtype=pl.String),
    )
    return rows.join(parts, left_on=CELL, right_on="_cell", how="left", maintain_order="left")


def unknown_industry_cells(cells: pl.Series) -> list[str]:
    """Distinct cells that are neither empty nor a code of the registry's lists."""
    given = cells.drop_nulls().to_frame("cell")
    listed = (
        pl.col("cell").str.extract(PATTERN, 1).is_in(sorted(code_lists.load_code_list("connectors.uk", "sic").codes))
    )
    says_none = pl.col("cell").str.strip_chars().str.to_lowercase() == NONE
    return given.filter(~(listed.fill_null(value=False) | says_none))["cell"].to_list()
