"""The staged table of `se.arsredovisningar`: one row per document, period and scope.

A document without figures for its own year has a row of nulls for that year.
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, Kind, Table

KEY: Final = "se.arsredovisningar"
NUMBER: Final = "organisationsnummer"
REPORTS: Final = Table(
    "se_arsredovisning",
    "Figures of annual reports, by document, period and scope.",
    ("document_sha256", "period_start", "period_end", "is_consolidated"),
    (
        Column("document_sha256", Kind.TEXT, "SHA-256 of the document's bytes", nullable=False),
        Column("document", Kind.TEXT, "file name of the package, or of a loose document", nullable=False),
        Column("member", Kind.TEXT, "its path in the archive it came in; null for a loose file"),
        Column(NUMBER, Kind.TEXT, "ten digits", nullable=False),
        Column("company_name", Kind.TEXT, "as the document spells it"),
        Column("seat", Kind.TEXT, "seat of the board, as the document spells it"),
        Column("balance_date", Kind.DATE, "last day of the document's own year", nullable=False),
        Column("period_start", Kind.DATE, "first day", nullable=False),
        Column("period_end", Kind.DATE, "last day", nullable=False),
        Column("is_consolidated", Kind.BOOLEAN, "figures of the group", nullable=False),
        Column("is_comparative", Kind.BOOLEAN, "an earlier period, repeated", nullable=False),
        Column("is_overview", Kind.BOOLEAN, "known from the multi-year overview alone", nullable=False),
        Column("currency", Kind.TEXT, "ISO 4217, of the amounts"),
        Column("revenue", Kind.MONEY, "Nettoomsattning"),
        Column("gross_result", Kind.MONEY, "Bruttoresultat…; no revenue"),
        Column("operating_result", Kind.MONEY, "Rorelseresultat"),
        Column("after_financials", Kind.MONEY, "ResultatEfterFinansiellaPoster"),
        Column("net_result", Kind.MONEY, "AretsResultat, else its line in equity"),
        Column("equity", Kind.MONEY, "EgetKapital"),
        Column("untaxed_reserves", Kind.MONEY, "ObeskattadeReserver"),
        Column("share_capital", Kind.MONEY, "Aktiekapital"),
        Column("total_assets", Kind.MONEY, "Tillgangar, else EgetKapitalSkulder"),
        Column("employees", Kind.INTEGER, "MedelantaletAnstallda, halves up"),
        Column("framework", Kind.TEXT, "K2 or K3"),
        Column("signed_date", Kind.DATE, "signed by the board"),
        Column("adopted_date", Kind.DATE, "adopted by the meeting"),
        Column("is_audited", Kind.BOOLEAN, "holds an audit report", nullable=False),
        Column("registered_by", Kind.DATE, "last day of the week of registration, by the archive's name"),
    ),
)
