"""Staged tables of a market's ESEF dataset, and the common key of an index entry and its report.

Does not belong here: reading either (`filing_index`, `report`), or the shared tables (`mapping`).
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from warehouse.schema.types import Column, ColumnKind, Subject, Table

HOST: Final = "filings.xbrl.org"
SITE: Final = f"https://{HOST}"

# IFRS concepts of a period and of its last day, best first for one shared figure (docs/formats/fi.md 5.3).
REVENUE: Final = ("Revenue", "RevenueFromContractsWithCustomers", "InsuranceRevenue")
OPERATING_RESULT: Final = ("ProfitLossFromOperatingActivities",)
NET_RESULT: Final = ("ProfitLoss", "ProfitLossAttributableToOwnersOfParent")
EMPLOYEES: Final = ("AverageNumberOfEmployees", "NumberOfEmployees")
EQUITY: Final = ("Equity", "EquityAttributableToOwnersOfParent")
ASSETS: Final = ("Assets", "EquityAndLiabilities")
CONCEPTS_BY_FIGURE: Final = (REVENUE, OPERATING_RESULT, NET_RESULT, EQUITY, ASSETS, EMPLOYEES)
FLOWS: Final = (*REVENUE, *OPERATING_RESULT, *NET_RESULT, EMPLOYEES[0])
STOCKS: Final = (*EQUITY, *ASSETS, EMPLOYEES[1])
CONCEPTS: Final = (*FLOWS, *STOCKS)
COUNTS: Final = EMPLOYEES
# Net and gross; read and not staged: where it is larger than a part of the revenue, the part is no total
INTEREST: Final = (
    "InterestRevenueExpense",
    "RevenueFromInterest",
    "InterestRevenueCalculatedUsingEffectiveInterestMethod",
)
PRIOR_YEAR_PREFIX: Final = "prior_"  # column prefix: value of the year before, as the report repeats it

_D, _I, _T = ColumnKind.DATE, ColumnKind.INTEGER, ColumnKind.TEXT
_PLACE: Final = re.compile(
    r"(?:^|/)(?P<entity>[^/]+)/(?P<end>\d{4}-\d{2}-\d{2})/(?P<system>\w+)/(?P<country>[A-Z]{2})/(?P<n>\d+)/"
)


def dataset_key(market: str) -> str:
    """The dataset's key."""
    return f"{market.lower()}.esef"


def index_table(market: str) -> Table:
    """Staged table of the site's index entries of a market."""
    return Table(
        f"{market.lower()}_esef_index",
        "Filings that filings.xbrl.org lists.",
        ("fxo_id",),
        (
            Column("fxo_id", _T, "the site's id: LEI, date, system, country, number", nullable=False),
            Column("lei", _T, "issuer"),
            Column("entity_name", _T, "name of the issuer, if the response includes it"),
            Column("country", _T, "country of filing"),
            Column("period_end", _D, "latest date tagged in the report: not reliably the end of the year"),
            Column("date_added", ColumnKind.INSTANT, "when the site found it"),
            Column("processed", ColumnKind.INSTANT, "when the site last processed it"),
            Column("sha256", _T, "of the package"),
            Column("error_count", _I, "validation errors"),
            Column("warning_count", _I, "warnings"),
            Column("inconsistency_count", _I, "calculations that do not add up"),
            Column("package_url", _T, "path of the package"),
            Column("report_url", _T, "path of the report"),
            Column("json_url", _T, "path of the xBRL-JSON; null where processing failed"),
            Column("viewer_url", _T, "path of the viewer"),
        ),
        subjects=(Subject(numbers=("lei",), names=("entity_name",)),),
    )


def report_table(market: str) -> Table:
    """Staged table of the primary statements of reports: own year, and the year before."""
    return Table(
        f"{market.lower()}_esef_report",
        "Undimensioned IFRS facts of a report's year and of the year before.",
        ("report",),
        (
            Column("report", _T, "fxo_id, or the name of a file that carries none", nullable=False),
            Column("lei", _T, "issuer that the facts are of", nullable=False),
            Column("currency", _T, "of all amounts"),
            Column("period_start", _D, "first day", nullable=False),
            Column("period_end", _D, "last day", nullable=False),
            Column(
                "is_interim",
                ColumnKind.BOOLEAN,
                "a part of a year by its comparatives; null: read by an earlier version",
            ),
            *_figure_columns(""),
            Column(f"{PRIOR_YEAR_PREFIX}start", _D, "first day of the year before"),
            Column(f"{PRIOR_YEAR_PREFIX}end", _D, "last day of the year before"),
            *_figure_columns(PRIOR_YEAR_PREFIX),
        ),
        subjects=(Subject(numbers=("lei",)),),
    )


def _figure_columns(prefix: str) -> list[Column]:
    return [
        Column(prefix + name, ColumnKind.INTEGER if name in COUNTS else ColumnKind.MONEY, f"ifrs-full:{name}")
        for name in CONCEPTS
    ]


def report_key(path: str) -> str:
    """Key of a report: the fxo_id in its path on the site, else its file name."""
    found = _PLACE.search(path)
    if found is not None:
        return "-".join(found.group("entity", "end", "system", "country", "n"))
    return PurePosixPath(path).name.partition(".")[0]
