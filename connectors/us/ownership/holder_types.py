"""Holder type, country, and event dates: shared by all ownership forms.

Does not belong here: the holdings (`schedule13.holdings`, `forms345.holdings`, `form13f.holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime
from functools import cache
from typing import Any, Final

import polars as pl

from connectors.kit import staging
from connectors.us.code_lists import PLACES
from connectors.us.filing_days import OLDEST
from connectors.us.register import ARCHIVES_URL, PREFIX
from name_matching.folding import fold_text
from warehouse.schema.tables import HOLDINGS

_FUNDS: Final = frozenset({"IV", "EP"})
_COMPANIES: Final = frozenset({"BD", "BK", "CO", "CP", "FI", "HC", "IA", "IC", "PN", "SA"})
_FUND_NAME: Final = re.compile(r"\b(?:funds?|etf|pension|retirement|endowment)\b", re.IGNORECASE)
_COMPANY_NAME: Final = re.compile(
    r"\b(?:inc|incorporated|corp|corporation|company|companies|llc|l\.l\.c|llp|lllp|l\.l\.p|lp|l\.p|ltd|limited|plc|"
    r"gmbh|s\.a|n\.v|b\.v|s\.?p\.?a|s\.?à\.?\s?r\.?l|sarl|oyj|bank|group|holdings?|partners|"
    r"partnership|trust|foundation|association|management|advisors|advisers|capital|investments?|ventures|university)"
    # «Kim Se Jin» and «de Sa Joao» have no legal form
    r"\b\.?(?!\w)|\b(?:co|ag|ab|se|kg|kk|asa|sa|nv|bv)\.?(?:$|\s*[/(,]|\s+de\s+c)",
    re.IGNORECASE,
)
_STATE_OF: Final = re.compile(
    r"^(?:the\s+)?(?:(?:state|commonwealth|republic|kingdom)\s+of\s+)?(?:the\s+)?", re.IGNORECASE
)
_ALSO: Final = {
    "united states of america": "US",
    "usa": "US",
    "us": "US",
    "u s a": "US",
    "england and wales": "GB",
    "england": "GB",
    "great britain": "GB",
    "uk": "GB",
    "netherlands": "NL",
}

Row = dict[str, Any]


def edgar_holder_type(types: Collection[str], name: str) -> str:
    """Holder type by the code of the reporting person; for «other» or none, by a legal form in the name."""
    if "IN" in types:
        return "person"
    if not _FUNDS.isdisjoint(types):
        return "fund"
    if not _COMPANIES.isdisjoint(types):
        return "company"
    if _FUND_NAME.search(name):
        return "fund"
    return "company" if _COMPANY_NAME.search(name) else "unknown"


def country_code(country_name: str | None) -> str | None:
    """ISO 3166-1 country of an EDGAR code (not ISO: CA is California) or of the words of an older form."""
    if not country_name:
        return None
    if country_name in PLACES:
        return PLACES.get(country_name, "country")
    words = fold_text(_STATE_OF.sub("", country_name.strip()))
    return _ALSO.get(words) or _country_by_label().get(words)


@cache
def _country_by_label() -> Mapping[str, str]:
    labels, countries = PLACES.columns["label"], PLACES.columns["country"]
    return {fold_text(label): countries[code] for code, label in labels.items() if code in countries}


def holder_company_id(cik: str | None, kind: str) -> str | None:
    """Company id of a holder with a CIK that is a company or fund; None for persons and unknown types."""
    return f"{PREFIX}{cik}" if cik is not None and kind in ("company", "fund") else None


def holder_fields(name: str | None, kind: str, cik: str | None, country_name: str | None) -> Row:
    """The columns of a holding that say who holds it."""
    return {
        "holder_name": name,
        "holder_type": kind,
        "holder_company_id": holder_company_id(cik, kind),
        "holder_country": country_code(country_name),
    }


def filing_page_url(cik: str | None, accession: str | None) -> str | None:
    """URL of the index page of a filing."""
    if cik is None or accession is None:
        return None
    return f"{ARCHIVES_URL}/data/{int(cik)}/{accession.replace('-', '')}/{accession}-index.html"


def event_day(day: date | None, filed_on: date | None, observed_at: datetime) -> date | None:
    """Day of an event; the day of filing if it is missing, later than that, or older than the law."""
    latest = min(filed_on or observed_at.date(), observed_at.date())
    return day if day is not None and OLDEST <= day <= latest else filed_on


def accession_order(accession: str | None) -> tuple[int, str]:
    """Sort key of filings of one day: the year and number of the accession."""
    if accession is None:
        return 0, ""
    _, year, number = accession.split("-")
    return int(year) + (1900 if int(year) > 90 else 2000), number  # noqa: PLR2004 - EDGAR began in 1993


def filing_days(filed: pl.LazyFrame) -> dict[str, date]:
    """Accession to day of filing, as the submissions list them."""
    rows = filed.select("accession", "filed").collect()
    return dict(rows.iter_rows())


def iter_linked_rows(frame: pl.LazyFrame) -> Iterator[Row]:
    """Rows linked to a company."""
    yield from frame.filter(pl.col("_company_id").is_not_null()).collect().iter_rows(named=True)


def to_holdings_frame(rows: list[Row]) -> pl.DataFrame:
    """Shared holdings; fields missing in a row are null."""
    form = staging.staged_schema(HOLDINGS)
    plain = [{"controls": [], "is_direct": None, "votes_pct": None} | row for row in rows]
    columns = {name: [row.get(name) for row in plain] for name in form.names()}
    return pl.DataFrame(columns, schema=form)
