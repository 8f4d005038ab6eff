"""The staged table of `se.arsredovisningar`: one row per document, period and scope.

A document without figures for its own year has a row of nulls for that year.
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Subject, Table

KEY: Final = "se.arsredovisningar"
NUMBER: Final = "organisationsnummer"
REPORTS: Final = Table(
    "se_arsredovisning",
    "Figures of annual reports, by document, period and scope.",
    ("document_sha256", "period_start", "period_end", "is_consolidated"),
    (
        Column("document_sha256", ColumnKind.TEXT, "SHA-256 of the document's bytes", nullable=False),
        Column("document", ColumnKind.TEXT, "file name of the package, or of a loose document", nullable=False),
        Column("member", ColumnKind.TEXT, "its path in the archive it came in; null for a loose file"),
        Column(NUMBER, ColumnKind.TEXT, "ten digits", nullable=False),
        Column("company_name", ColumnKind.TEXT, "as the document spells it"),
        Column("seat", ColumnKind.TEXT, "seat of the board, as the document spells it"),
        Column("balance_date", ColumnKind.DATE, "last day of the document's own year", nullable=False),
        Column("period_start", ColumnKind.DATE, "first day", nullable=False),
        Column("period_end", ColumnKind.DATE, "last day", nullable=False),
        Column("is_consolidated", ColumnKind.BOOLEAN, "figures of the group", nullable=False),
        Column("is_comparative", ColumnKind.BOOLEAN, "an earlier period, repeated", nullable=False),
        Column("is_overview", ColumnKind.BOOLEAN, "known from the multi-year overview alone", nullable=False),
        Column("currency", ColumnKind.TEXT, "ISO 4217, of the amounts"),
        Column("revenue", ColumnKind.MONEY, "Nettoomsattning"),
        Column("gross_result", ColumnKind.MONEY, "Bruttoresultat…; no revenue"),
        Column("operating_result", ColumnKind.MONEY, "Rorelseresultat"),
        Column("after_financials", ColumnKind.MONEY, "ResultatEfterFinansiellaPoster"),
        Column("net_result", ColumnKind.MONEY, "AretsResultat, else its line in equity"),
        Column("equity", ColumnKind.MONEY, "EgetKapital"),
        Column("untaxed_reserves", ColumnKind.MONEY, "ObeskattadeReserver"),
        Column("share_capital", ColumnKind.MONEY, "Aktiekapital"),
        Column("total_assets", ColumnKind.MONEY, "Tillgangar, else EgetKapitalSkulder"),
        Column("employees", ColumnKind.INTEGER, "MedelantaletAnstallda, halves up"),
        Column("framework", ColumnKind.TEXT, "K2 or K3"),
        Column("signed_date", ColumnKind.DATE, "signed by the board"),
        Column("adopted_date", ColumnKind.DATE, "adopted by the meeting"),
        Column("is_audited", ColumnKind.BOOLEAN, "holds an audit report", nullable=False),
        Column("registered_by", ColumnKind.DATE, "last day of the week of registration, by the archive's name"),
    ),
    subjects=(Subject(numbers=("organisationsnummer",)),),
)
