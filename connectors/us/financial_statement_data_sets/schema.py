"""Tables of the Financial Statement Data Sets: two of the source's, as text, and the staged one built from them.

Does not belong here: reading (`dataset`), or what the columns are for (`financials.concepts`).
"""

from __future__ import annotations

from typing import Final

from connectors.us.companyfacts.schema import FACTS
from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "us.fsds"
DERIVED_DAYS: Final = "days rounded to the ends of months"


def _text_table(name: str, about: str, columns: tuple[str, ...]) -> Table:
    return Table(name, about, (), tuple(Column(column, ColumnKind.TEXT, "as in the source") for column in columns))


SUB: Final = _text_table("sub", "Filings.", ("adsh", "cik", "name", "form", "fy", "filed", "nciks"))
SUB_IGNORED: Final = (
    *("sic", "countryba", "stprba", "cityba", "zipba", "bas1", "bas2", "baph", "countryma", "stprma", "cityma"),
    *("zipma", "mas1", "mas2", "countryinc", "stprinc", "ein", "former", "changed", "afs", "wksi", "fye", "period"),
    *("fp", "accepted", "prevrpt", "detail", "instance", "aciks"),
)
NUM: Final = _text_table(
    "num", "Values.", ("adsh", "tag", "version", "ddate", "qtrs", "uom", "segments", "coreg", "value")
)
NUM_IGNORED: Final = ("footnote",)

HISTORY: Final = Table("us_fsds", f"Facts of the quarterly data sets, {DERIVED_DAYS}.", FACTS.key, FACTS.columns)
FILERS: Final = Table(
    "us_fsds_filer",
    "Name of a filer in its newest filing of a quarter.",
    ("cik",),
    (
        Column("cik", ColumnKind.TEXT, "ten digits", nullable=False),
        Column("name", ColumnKind.TEXT, "name", nullable=False),
    ),
)
STAGED: Final = {table.name: table for table in (HISTORY, FILERS)}
