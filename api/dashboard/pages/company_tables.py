"""A company's figures, owners, filings and events as CSV files (RFC 4180), read from the API like all of its page.

Unknown is an empty field; names of figures in `derived` are separated by blanks. A text that a spreadsheet would
run as a formula is preceded by an apostrophe, and the file begins with a byte order mark, without which Excel takes
UTF-8 for another encoding («Ã…» for «Å»). Does not belong here: bulk files (`api.exports`).
"""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec
from litestar import get
from litestar.params import FromPath
from litestar.status_codes import HTTP_200_OK

from api.companies.lookup import number_from_path
from api.companies.path_parameters import CompanyId
from api.dashboard.html_forms import PageError
from api.dashboard.pages.companies import requested_day
from api.dashboard.pages.company_data import read_companies
from api.dashboard.routing import SAFETY, CurrentPage, PageRequest
from api.http.response_headers import NO_STORE
from api.http.responses import HttpResponse
from api.problems.problem import not_found_problem

_PAGE: Final = 100
_MOST_PAGES: Final = 50
"""Each page is a request of the account; a table of more than 5,000 rows is one for the API or the bulk files."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class CompanyTable:
    """A table of a company: its path in the API, its columns, and the parameter that takes a past day."""

    part: str
    columns: tuple[str, ...]
    day_parameter: str


TABLES: Final[Mapping[str, CompanyTable]] = {
    "financials.csv": CompanyTable(
        "financials",
        (
            "period",
            "period_type",
            "period_start",
            "period_end",
            "currency",
            "revenue",
            "operating_result",
            "net_result",
            "equity",
            "total_assets",
            "employees",
            "is_consolidated",
            "is_restated",
            "version",
            "filed_at",
            "filing_id",
            "derived",
            "period_months",
        ),
        "as_of",
    ),
    "owners.csv": CompanyTable(
        "ownership",
        (
            "holder_name",
            "holder_type",
            "holder_company_id",
            "holder_country",
            "pct",
            "pct_min",
            "pct_max",
            "votes_pct",
            "basis",
            "as_of",
            "reconciliation",
            "share_class",
            "is_direct",
        ),
        "as_of",
    ),
    "filings.csv": CompanyTable(
        "filings", ("filing_id", "filing_type", "period", "period_end", "filed_at", "document_url"), "to"
    ),
    "events.csv": CompanyTable("events", ("sequence", "event_type", "occurred_at", "recorded_at", "event_id"), "until"),
}


@get("/dashboard/companies/{company_id:str}/{table:str}")
async def download_table(page: CurrentPage, company_id: CompanyId, table: FromPath[str]) -> HttpResponse:
    """All rows as a file; if the API refuses one of its pages, why."""
    wanted = TABLES.get(table)
    if wanted is None:
        raise not_found_problem(page.context.path)
    number, day = number_from_path(company_id), requested_day(page)
    rows = await _all_rows(page, f"{quote(number.company_id, safe=':')}/{wanted.part}", _parameters(wanted, day))
    body = csv_text(wanted.columns, rows).encode("utf-8-sig")
    name = f"{number.company_id.replace(':', '-')}-{table}"
    headers = [
        (b"content-type", b"text/csv; charset=utf-8; header=present"),
        (b"content-disposition", f'attachment; filename="{name}"'.encode()),
        (b"content-length", b"%d" % len(body)),
        NO_STORE,
        *SAFETY,
    ]
    return HttpResponse(200, headers, body)


def csv_text(columns: tuple[str, ...], rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as CSV with a header; null is an empty field."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return written.getvalue()


def _cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _parameters(table: CompanyTable, day: date | None) -> dict[str, str]:
    if day is None:
        return {"limit": str(_PAGE)}
    # `until` is exclusive, an instant (docs/contract/contract.md 4.5)
    is_instant = table.day_parameter == "until"
    past = f"{(day + timedelta(days=1)).isoformat()}T00:00:00Z" if is_instant else day.isoformat()
    return {"limit": str(_PAGE), table.day_parameter: past}


async def _all_rows(page: PageRequest, below: str, parameters: Mapping[str, str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    for _ in range(_MOST_PAGES):
        answer = await read_companies(page, below, urlencode({**parameters, **cursor}))
        content = msgspec.json.decode(bytes(answer.body))
        if answer.status != HTTP_200_OK:
            raise PageError(answer.status, content["title"], content["detail"])
        rows += content["data"]
        if not content["has_more"]:
            return rows
        cursor = {"cursor": content["next_cursor"]}
    raise PageError(
        413,
        "This table is too long for a page",
        f"It has more than {_PAGE * _MOST_PAGES:,} rows. Read it by pages from the API, or take the bulk files.",
    )
