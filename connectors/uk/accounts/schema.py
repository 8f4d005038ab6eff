"""The staged tables of `uk.accounts`: one row per document, company, period and scope, and the days of daily zips.

The same bytes filed for two companies are a document of each.

A document without any figure has one row of nulls for its own period and is also listed as a reject with the
reason.
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Subject, Table

KEY: Final = "uk.accounts"
ACCOUNTS: Final = Table(
    "uk_accounts",
    "Figures of accounts documents, by document, period and scope.",
    ("document_sha256", "company_number", "period_start", "period_end", "is_consolidated"),
    (
        Column("document_sha256", ColumnKind.TEXT, "SHA-256 of the document's bytes", nullable=False),
        Column("document", ColumnKind.TEXT, "file name of the document", nullable=False),
        Column("member", ColumnKind.TEXT, "its path in the archive it came in; null for a loose file"),
        Column("company_number", ColumnKind.TEXT, "eight characters", nullable=False),
        Column("company_name", ColumnKind.TEXT, "as the document spells it"),
        Column("balance_date", ColumnKind.DATE, "last day of the document's own period", nullable=False),
        Column("period_start", ColumnKind.DATE, "first day", nullable=False),
        Column("period_end", ColumnKind.DATE, "last day", nullable=False),
        Column("is_consolidated", ColumnKind.BOOLEAN, "figures of the group", nullable=False),
        Column("is_comparative", ColumnKind.BOOLEAN, "an earlier period, repeated", nullable=False),
        Column("is_start_assumed", ColumnKind.BOOLEAN, "the document gives only the last day", nullable=False),
        Column("currency", ColumnKind.TEXT, "ISO 4217, of the amounts"),
        Column("revenue", ColumnKind.MONEY, "turnover, income of a charity"),
        Column("operating_result", ColumnKind.MONEY, "operating profit or loss"),
        Column("net_result", ColumnKind.MONEY, "profit or loss"),
        Column("equity", ColumnKind.MONEY, "equity, net assets or funds"),
        Column("total_assets", ColumnKind.MONEY, "stated, or computed and confirmed by the balance sheet"),
        Column("employees", ColumnKind.INTEGER, "average number"),
        Column("derived", ColumnKind.TEXTS, "columns computed, not read", nullable=False),
        Column("dormant", ColumnKind.BOOLEAN, "as stated in the document"),
        Column("accounting_standard", ColumnKind.TEXT, "FRS102, FRS105, IFRS, UKGAAP, …"),
        Column("accounts_type", ColumnKind.TEXT, "FullAccounts, AbridgedAccounts, …"),
        Column("received_date", ColumnKind.DATE, "DateAccountsReceived of the old XML"),
        Column("published_date", ColumnKind.DATE, "date of the daily zip"),
        Column("is_amendment", ColumnKind.BOOLEAN, "states that it revises a filed report", nullable=False),
    ),
    subjects=(Subject(numbers=("company_number",)),),
)
PUBLISHED_DAYS: Final = Table(
    "uk_accounts_published",
    "Days of the daily zips that had a document. The monthly zip repeats the document without a day.",
    ("document_sha256", "company_number", "published_date"),
    (
        Column("document_sha256", ColumnKind.TEXT, "SHA-256 of the document's bytes", nullable=False),
        Column("company_number", ColumnKind.TEXT, "eight characters", nullable=False),
        Column("published_date", ColumnKind.DATE, "date of the daily zip", nullable=False),
    ),
)
