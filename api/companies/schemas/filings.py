"""Filings of a company, as responses show them (docs/contract/contract.md 4.3a).

Does not belong here: the figures of a filing (`api.companies.schemas.companies`).
"""

from datetime import date, datetime
from typing import Final

from api.companies.schemas.companies import PERIOD, FigureSource
from api.schemas import declare, shared
from api.schemas.declare import ResponseModel
from warehouse.schema.codes import PERIOD_TYPES

FILING_TYPES: Final = ("annual_report", "interim_report")


class FilingVersion(ResponseModel):
    """One document of the same period and scope."""

    version: int = declare.integer(1, 10_000, "1 for the first document.")
    filing_id: str = declare.natural_id("fil", "The document.")
    filed_at: date | None = declare.date("Date of filing.")
    is_current: bool = declare.boolean("Whether it is the version that is served.")


class Filing(ResponseModel):
    """One document filed; its own period, not its comparatives."""

    filing_id: str = declare.natural_id("fil", "The document.")
    filing_type: str = declare.open_word(FILING_TYPES, "Type of filing.")
    form: str | None = declare.text(30, "The register's own form, if it is known.")
    period: str | None = declare.text(10, "For example 2025 or 2026-Q3.", pattern=PERIOD)
    period_type: str | None = declare.word(PERIOD_TYPES, "Null for periods not served in v1.")
    fiscal_year: int | None = declare.integer(1900, 2200, "Fiscal year; null if the period is not known.")
    fiscal_quarter: int | None = declare.integer(1, 4, "Quarterly periods only.")
    period_start: date | None = declare.date("First day of the period.")
    period_end: date | None = declare.date("Last day of the period.")
    filed_at: date | None = declare.date("Date of filing.")
    accepted_at: datetime | None = declare.instant("When the register accepted it, if it says so.")
    document_url: str | None = declare.url("The document.")
    is_consolidated: bool | None = declare.boolean(
        "Whether its figures are consolidated; true if it states both. Null: no figures are known."
    )
    versions: list[FilingVersion] = declare.array(
        1000, "All documents of its period and scope, by version; empty if no figures are known."
    )
    supersedes: str | None = declare.natural_id("fil", "The document of the version before it.")
    sources: list[FigureSource] = declare.array(20, "Where the document was found.")


class FilingList(shared.Page[Filing], shared.CompanyHead):
    """Filings of a company."""
