"""Staged tables of companyfacts: the facts of each filing by span of days, and the filers' names there.

Does not belong here: reading (`dataset`), or what the columns are for (`financials.concepts`).
"""

from __future__ import annotations

from typing import Final

from connectors.us.financials.concepts import WANTED, taxonomy_of
from connectors.us.financials.model import is_count_column
from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "us.companyfacts"
ANSWERS_KEY: Final = "us.facts"

CIK: Final = "cik"
NAME: Final = "name"
_T, _D, _I = ColumnKind.TEXT, ColumnKind.DATE, ColumnKind.INTEGER


FACTS: Final = Table(
    "us_facts",
    "Facts of the wanted tags without dimensions: one row per filing, unit and span of days.",
    (CIK, "accession", "unit", "span"),
    (
        Column(CIK, _T, "ten digits", nullable=False),
        Column("accession", _T, "accession number with dashes", nullable=False),
        Column("unit", _T, "currency; empty for heads and shares", nullable=False),
        Column("span", _T, "first and last day with a slash, or the day of a balance", nullable=False),
        Column("period_start", _D, "first day; null for a balance"),
        Column("period_end", _D, "last day", nullable=False),
        Column("form", _T, "form type of the filing", nullable=False),
        Column("filed", _D, "day of filing", nullable=False),
        Column("focus", _I, "fiscal year of the filing; never that of the span"),
        *(
            Column(name, _I if is_count_column(name) else ColumnKind.MONEY, ":".join(taxonomy_of(name)))
            for name in WANTED
        ),
    ),
)

FILERS: Final = Table(
    "us_facts_filer",
    "Name of a filer in its facts.",
    (CIK,),
    (Column(CIK, _T, "ten digits", nullable=False), Column(NAME, _T, "entityName", nullable=False)),
)

STAGED: Final = {table.name: table for table in (FACTS, FILERS)}
