"""The staged tables of `fi.xbrl`: one row per statement, and one per line of the lists of statements."""

from __future__ import annotations

from typing import Final

from connectors.fi.xbrl.concepts import LINES, PRIOR
from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "fi.xbrl"
NUMBER: Final = "businessId"
DATE: Final = "financialDate"

_T, _D, _M = ColumnKind.TEXT, ColumnKind.DATE, ColumnKind.MONEY

STATEMENTS: Final = Table(
    "fi_tilinpaatos",
    "Annual accounts filed digitally: one row per company and last day, in whole euros, halves to even.",
    (NUMBER, DATE),
    (
        Column(NUMBER, _T, "business id", nullable=False),
        Column(DATE, _D, "last day of the financial year (di121)", nullable=False),
        Column("di120", _D, "first day"),
        Column("si168", _T, "name"),
        Column("sha256", _T, "SHA-256 of the statement's bytes"),
        Column("currency", _T, "EUR; null where nothing is tagged"),
        Column("priorDate", _D, "last day of the comparatives"),
        *(Column(line, _M, description) for line, description in LINES.items()),
        *(Column(line + PRIOR, _M, f"the year before: {line}") for line in LINES),
    ),
)

REGISTERED: Final = Table(
    "fi_tilinpaatosluettelo",
    "Lists of statements: when each was registered; of one registered twice, both days.",
    (NUMBER, DATE, "registrationDate"),
    (
        Column(NUMBER, _T, "business id", nullable=False),
        Column(DATE, _D, "last day of the financial year", nullable=False),
        Column("registrationDate", _D, "registered", nullable=False),
    ),
)
