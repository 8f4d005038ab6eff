"""The staged table of `dk.regnskaber`: one row per document, period and scope.

A document without figures has one row of nulls for its own period.
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Subject, Table

KEY: Final = "dk.regnskaber"
PUBLICATION: Final = "publikation"
NUMBER: Final = "cvr_nummer"
_M = ColumnKind.MONEY
REPORTS: Final = Table(
    "dk_regnskab",
    "Figures of annual reports, by document, period and scope.",
    ("document_sha256", "period_start", "period_end", "is_consolidated"),
    (
        Column("document_sha256", ColumnKind.TEXT, "SHA-256 of the document's bytes", nullable=False),
        Column("document", ColumnKind.TEXT, "file name", nullable=False),
        Column(PUBLICATION, ColumnKind.TEXT, "publication that the document was fetched of; null for other files"),
        Column("nummer", ColumnKind.INTEGER, "its place among the publication's documents"),
        Column(NUMBER, ColumnKind.TEXT, "CVR number that the document states; null in ESEF reports"),
        Column("company_name", ColumnKind.TEXT, "as the document spells it"),
        Column("balance_date", ColumnKind.DATE, "last day of the document's own period", nullable=False),
        Column("period_start", ColumnKind.DATE, "first day", nullable=False),
        Column("period_end", ColumnKind.DATE, "last day", nullable=False),
        Column("is_consolidated", ColumnKind.BOOLEAN, "figures of the group", nullable=False),
        Column("is_comparative", ColumnKind.BOOLEAN, "an earlier period, repeated", nullable=False),
        Column("is_interim", ColumnKind.BOOLEAN, "the document says that it covers part of a year", nullable=False),
        Column("currency", ColumnKind.TEXT, "ISO 4217, of the amounts"),
        Column("revenue", _M, "Revenue; often withheld"),
        Column("gross_result", _M, "GrossProfitLoss, GrossResult; no revenue"),
        Column("operating_result", _M, "ProfitLossFromOrdinaryOperatingActivities"),
        Column("before_tax", _M, "ProfitLossFromOrdinaryActivitiesBeforeTax"),
        Column("net_result", _M, "ProfitLoss"),
        Column("equity", _M, "Equity"),
        Column("total_assets", _M, "Assets, else LiabilitiesAndEquity"),
        Column("employees", ColumnKind.INTEGER, "AverageNumberOfEmployees, halves up"),
        Column("standard", ColumnKind.TEXT, "IFRS, or ÅRL with the accounting class"),
        Column("size", ColumnKind.INTEGER, "tagged figures of the document", nullable=False),
    ),
    subjects=(Subject(numbers=(NUMBER,)),),
)
