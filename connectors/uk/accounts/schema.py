"""The staged table of `uk.accounts`: one row per document, period and scope.

A document without any figure has one row of nulls for its own period and is also listed as a reject with the
reason.
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, Kind, Table

KEY: Final = "uk.accounts"
ACCOUNTS: Final = Table(
    "uk_accounts",
    "Figures of accounts documents, by document, period and scope.",
    ("document_sha256", "period_start", "period_end", "is_consolidated"),
    (
        Column("document_sha256", Kind.TEXT, "SHA-256 of the document's bytes", nullable=False),
        Column("document", Kind.TEXT, "file name of the document", nullable=False),
        Column("member", Kind.TEXT, "its path in the archive it came in; null for a loose file"),
        Column("company_number", Kind.TEXT, "eight characters", nullable=False),
        Column("company_name", Kind.TEXT, "as the document spells it"),
        Column("balance_date", Kind.DATE, "last day of the document's own period", nullable=False),
        Column("period_start", Kind.DATE, "first day", nullable=False),
        Column("period_end", Kind.DATE, "last day", nullable=False),
        Column("is_consolidated", Kind.BOOLEAN, "figures of the group", nullable=False),
        Column("is_comparative", Kind.BOOLEAN, "an earlier period, repeated", nullable=False),
        Column("is_start_assumed", Kind.BOOLEAN, "the document gives only the last day", nullable=False),
        Column("currency", Kind.TEXT, "ISO 4217, of the amounts"),
        Column("revenue", Kind.MONEY, "turnover, income of a charity"),
        Column("operating_result", Kind.MONEY, "operating profit or loss"),
        Column("net_result", Kind.MONEY, "profit or loss"),
        Column("equity", Kind.MONEY, "equity, net assets or funds"),
        Column("total_assets", Kind.MONEY, "stated, or computed and confirmed by the balance sheet"),
        Column("employees", Kind.INTEGER, "average number"),
        Column("derived", Kind.TEXTS, "columns computed, not read", nullable=False),
        Column("dormant", Kind.BOOLEAN, "as stated in the document"),
        Column("accounting_standard", Kind.TEXT, "FRS102, FRS105, IFRS, UKGAAP, …"),
        Column("accounts_type", Kind.TEXT, "FullAccounts, AbridgedAccounts, …"),
        Column("received_date", Kind.DATE, "DateAccountsReceived of the old XML"),
        Column("published_date", Kind.DATE, "date of the daily zip"),
        Column("is_amendment", Kind.BOOLEAN, "states that it revises a filed report", nullable=False),
    ),
)
