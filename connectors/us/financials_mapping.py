"""Maps present fact rows to the shared `filings` and `financials_reported`.

A filing with facts is one document; its comparatives become statements of that document too if they change what
was known of a period. Does not belong here: which value counts (`financials.versions`), versions of the shared
tables (pipelines).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any, Final

import polars as pl

from connectors.contract.dataset import MAPPING_SIGNALS, MAPPING_SIGNALS_SCHEMA, PresentRows
from connectors.kit import staging
from connectors.kit.staging import present_rows
from connectors.us.companyfacts import schema as f
from connectors.us.financial_statement_data_sets.schema import FILERS as HISTORY_FILERS
from connectors.us.financial_statement_data_sets.schema import HISTORY
from connectors.us.financial_statement_data_sets.schema import KEY as HISTORY_KEY
from connectors.us.financials.concepts import EMPLOYEES, IFRS, MONEY
from connectors.us.financials.latest_values import FinancialStatement
from connectors.us.financials.model import COUNTS, FactsFiling
from connectors.us.financials.versions import FilerStatements, build_statements
from connectors.us.register import filing_id, filing_urls
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

STANDARDS: Final = {True: "IFRS", False: "US-GAAP"}
ANNUAL: Final = "annual_report"
INTERIM: Final = "interim_report"
UNLIKE_PARTS: Final = "quarter_of_two_scopes"  # signal: a quarter that a year and its parts do not give
_HEAD: Final = (
    *("_company_id", "cik", "accession", "unit", "span", "form", "filed", "focus"),
    *("rounded", "_raw", "_observed_at"),
)
_FIGURES: Final = (*MONEY, *EMPLOYEES)
_REPORTED: Final = pl.Schema(
    {**staging.staged_schema(FINANCIALS_REPORTED), "period_start": pl.String(), "period_end": pl.String()}
)
_FILED: Final = pl.Schema(
    {
        **staging.staged_schema(FILINGS),
        "period_start": pl.String(),
        "period_end": pl.String(),
        "filed_at": pl.String(),
        "cik": pl.String(),
    }
)


def to_shared_tables(present: PresentRows, _today: date) -> dict[str, pl.DataFrame]:
    """`filings` and `financials_reported` of the touched filers."""
    frame = _combined_facts(present)
    reported: list[dict[str, Any]] = []
    filed: list[dict[str, Any]] = []
    signals: list[tuple[str, str, str, str]] = []
    for company, cik, filings in _filings_by_filer(frame):
        found = build_statements(filings)
        signals += ((f.KEY, UNLIKE_PARTS, name, company) for name, _ in sorted(found.unlike_parts))
        signals += ((f.KEY, code, name, company) for code, name, _ in sorted(found.doubts))
        reported += (_financials_row(company, cik, one) for one in found.statements)
        filed += _filing_rows(company, cik, found)
    financials = pl.DataFrame(reported, schema=_REPORTED).with_columns(*_parse_days("period_start", "period_end"))
    return {
        FILINGS.name: _filings_frame(filed),
        FINANCIALS_REPORTED.name: financials,
        MAPPING_SIGNALS: pl.DataFrame(signals, schema=MAPPING_SIGNALS_SCHEMA, orient="row"),
    }


def _combined_facts(present: PresentRows) -> pl.DataFrame:
    """Facts of both sources; for a filing that companyfacts has, only companyfacts, because its days are exact."""
    exact = present_rows(present, f.FACTS).with_columns(rounded=pl.lit(value=False))
    history = present_rows(present, HISTORY).with_columns(rounded=pl.lit(value=True))
    rest = history.join(exact.select("cik", "accession"), on=["cik", "accession"], how="anti")
    text = pl.col("filed").dt.to_string("%Y-%m-%d")
    figures = pl.any_horizontal(pl.col("unit") != COUNTS, pl.col(EMPLOYEES).is_not_null())  # not shares alone
    current = exact.filter(pl.col("_retired_at").is_null())  # what is withdrawn there is not served from history
    both = pl.concat([current, rest]).filter(pl.col("_company_id").is_not_null(), figures)
    return both.with_columns(filed=text).select(*_HEAD, *_FIGURES).sort("cik", "accession").collect()


def _filings_by_filer(frame: pl.DataFrame) -> Iterator[tuple[str, str, list[FactsFiling]]]:
    """The filings of each filer, in the order read."""
    filings: dict[str, FactsFiling] = {}
    known: tuple[str, str] | None = None
    for row in frame.iter_rows():
        company, cik, accession, unit, span, form, filed, focus, rounded, raw, seen, *amounts = row
        if known is not None and known != (company, cik):
            yield *known, list(filings.values())
            filings = {}
        known = (company, cik)
        filing = filings.get(accession)
        if filing is None:
            filing = filings[accession] = FactsFiling(
                accession, form, filed, focus, is_rounded=rounded, raw=raw, observed_at=seen
            )
        elif seen > filing.observed_at:
            filing.raw, filing.observed_at = raw, seen
        start, _, end = span.rpartition("/")
        facts = {name: amount for name, amount in zip(_FIGURES, amounts, strict=True) if amount is not None}
        filing.units.setdefault(unit, {})[start, end] = facts
    if known is not None:
        yield *known, list(filings.values())


def _financials_row(company: str, cik: str, statement: FinancialStatement) -> dict[str, Any]:
    filing = statement.filing
    return {
        "filing_id": filing_id(cik, filing.accession),
        "company_id": company,
        "period_start": statement.span[0],
        "period_end": statement.span[1],
        "is_consolidated": True,
        "currency": statement.currency,
        **statement.amounts,
        "is_comparative": statement.is_comparative,
        "fiscal_year": statement.fiscal_year,
        "accounting_standard": STANDARDS[_is_ifrs(filing, statement.currency)],
        "derived": list(statement.derived),
        "register": HISTORY_KEY if filing.is_rounded else f.KEY,
        "raw": filing.raw,
        "observed_at": filing.observed_at,
    }


def _is_ifrs(filing: FactsFiling, currency: str | None) -> bool:
    spans = filing.facts_in(currency)
    return any(tag.startswith(IFRS) for facts in spans.values() for tag in facts)


def _filing_rows(company: str, cik: str, found: FilerStatements) -> Iterator[dict[str, Any]]:
    """Reports of a period only: other documents are news, not accounts (docs/formats/us.md 12.6)."""
    for filing, own in found.reports:
        yield {
            "filing_id": filing_id(cik, filing.accession),
            "company_id": company,
            "filing_type": ANNUAL if filing.is_annual else INTERIM,
            "native_id": filing.accession,
            "period_start": own[0],
            "period_end": own[1],
            "filed_at": filing.filed,
            "is_amendment": filing.is_amendment,
            "register": HISTORY_KEY if filing.is_rounded else f.KEY,
            "raw": filing.raw,
            "observed_at": filing.observed_at,
            "cik": cik,
        }


def _parse_days(*names: str) -> Iterable[pl.Expr]:
    return (pl.col(name).str.to_date("%Y-%m-%d") for name in names)


def _filings_frame(found: list[dict[str, Any]]) -> pl.DataFrame:
    frame = pl.DataFrame(found, schema=_FILED)
    url = filing_urls(pl.col("cik"), pl.col("native_id")).alias("document_url")
    return frame.with_columns(*_parse_days("period_start", "period_end", "filed_at"), url).select(FILINGS.names)


def filer_names(present: PresentRows) -> pl.LazyFrame:
    """Filer names in the facts; these filers file accounts, so they are companies. History's names come last."""
    both = [present_rows(present, table).select(f.CIK, f.NAME, "_observed_at") for table in (f.FILERS, HISTORY_FILERS)]
    once = pl.concat(both).unique(f.CIK, keep="first", maintain_order=True)
    return once.rename({"_observed_at": "observed_at"})
