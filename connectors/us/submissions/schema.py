"""The staged tables of the submissions: one row per filer, one per filing of a filer (docs/formats/us.md 4).

Values that change without a real change have no column: `acceptanceDateTime`, `size`, `core_type`,
`primaryDocDescription`, `filmNumber`, the times of `formerNames`. Does not belong here: reading
(`rows`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "us.submissions"
ANSWERS_KEY: Final = "us.filer"

CIK: Final = "cik"
NAME: Final = "name"
ACCESSION: Final = "accession"
FORM: Final = "form"
FILED: Final = "filed"
PERIOD: Final = "period"
ITEMS: Final = "items"
FILE_NUMBER: Final = "file_number"
DOCUMENT: Final = "document"
IS_XBRL: Final = "is_xbrl"

_T: Final = ColumnKind.TEXT
_CIK: Final = Column(CIK, _T, "ten digits", nullable=False)

FILERS: Final = Table(
    "us_filer",
    "One row per filer: its profile as EDGAR has it. Of an individual only the name and the marks of one.",
    (CIK,),
    (
        _CIK,
        Column(NAME, _T, "conformed name, raw", nullable=False),
        Column("entity_type", _T, "operating, investment, other"),
        Column("is_person", ColumnKind.BOOLEAN, "an individual (docs/formats/us.md 4, trap 4)", nullable=False),
        Column("sic", _T, "four digits"),
        Column("sic_label", _T, "sicDescription"),
        Column("owns_reported", ColumnKind.BOOLEAN, "files insider transactions as an owner"),
        Column("has_insiders", ColumnKind.BOOLEAN, "insiders file transactions in it"),
        Column("tickers", ColumnKind.TEXTS, "symbols, sorted", nullable=False),
        Column("exchanges", ColumnKind.TEXTS, "exchange of each symbol, empty where not stated", nullable=False),
        Column("ein", _T, "employer identification number"),
        Column("lei", _T, "legal entity identifier"),
        Column("website", _T, "as registered"),
        Column("categories", ColumnKind.TEXTS, "filer category, its parts", nullable=False),
        Column("year_end", _T, "MMDD of the current fiscal year: a hint alone"),
        Column("incorporated_in", _T, "EDGAR place code"),
        Column("lines", ColumnKind.TEXTS, "street lines of the business address"),
        Column("city", _T, "of the business address, else of the mailing address"),
        Column("place", _T, "EDGAR place code of the same address"),
        Column("postal_code", _T, "of the same address"),
        Column("former_names", ColumnKind.TEXTS, "newest first", nullable=False),
        Column("first_filed", ColumnKind.DATE, "first filing over all pages"),
        Column("last_filed", ColumnKind.DATE, "newest filing"),
        Column("pages", ColumnKind.TEXTS, "names of continuation files", nullable=False),
        Column("aged", ColumnKind.TEXTS, "ours: status that follows from elapsed time only", nullable=False),
    ),
)

FILED_TABLE: Final = Table(
    "us_filed",
    "One row per filing in a filer's list: filed by it or about it (docs/formats/us.md 4, trap 2).",
    (CIK, ACCESSION),
    (
        _CIK,
        Column(ACCESSION, _T, "accession number with dashes", nullable=False),
        Column(FORM, _T, "form type", nullable=False),
        Column(FILED, ColumnKind.DATE, "day of filing", nullable=False),
        Column(PERIOD, ColumnKind.DATE, "period of report"),
        Column(ITEMS, ColumnKind.TEXTS, "items of an 8-K or D", nullable=False),
        Column(FILE_NUMBER, _T, "SEC file number"),
        Column(DOCUMENT, _T, "primary document, without the viewer's folder"),
        Column(IS_XBRL, ColumnKind.BOOLEAN, "holds XBRL"),
    ),
)

ENDINGS: Final = Table(
    "us_ending",
    "Filings to read for the end of a filer that has stopped reporting; lists do not state it.",
    (CIK, ACCESSION),
    (
        _CIK,
        Column(ACCESSION, _T, "accession number with dashes", nullable=False),
        Column(FORM, _T, "form type", nullable=False),
        Column(FILED, ColumnKind.DATE, "day of filing", nullable=False),
    ),
)

STAGED: Final = {table.name: table for table in (FILERS, FILED_TABLE, ENDINGS)}
