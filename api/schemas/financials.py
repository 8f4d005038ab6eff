"""Schema of financial rows (docs/contract/contract.md 4.3).

Does not belong here: which version of a period is served (`pipelines.steps`).
"""

from typing import Any, Final

from api.schemas.kinds import (
    CURRENCY,
    HEAD,
    REGISTER,
    address,
    array,
    day,
    flag,
    instant,
    integer,
    money,
    natural_id,
    page,
    record,
    ref,
    text,
    word,
)
from warehouse.schema.codes import FIGURES, PERIOD_TYPES

PERIOD: Final = text(10, "As 2025 or 2026-Q3.", pattern="^[0-9]{4}(-Q[1-4])?$")
FIGURE_SCHEMAS: Final = {
    "revenue": money("Operating revenue."),
    "operating_result": money("Operating profit or loss."),
    "net_result": money("Profit or loss for the period."),
    "equity": money("Equity at the end of the period."),
    "total_assets": money("Total assets at the end of the period."),
    "employees": integer(0, 100_000_000, "Average number in the period.", null=True),
}
_SOURCE: Final = record(
    "The document behind the figures.",
    {
        "register": REGISTER,
        "native_id": text(200, "The register's own id.", null=True),
        "url": address("Public address of the document."),
        "retrieved_at": instant("When it was fetched.", null=True),
    },
)
_ROW: Final = {
    "period": PERIOD,
    "period_type": word(PERIOD_TYPES, "Kind of period."),
    "fiscal_year": integer(1900, 2200, "Year of period_end (US: the filer's own label)."),
    "fiscal_quarter": integer(1, 4, "Quarterly periods only.", null=True),
    "period_start": day("First day."),
    "period_end": day("Last day."),
    "currency": CURRENCY,
    **FIGURE_SCHEMAS,
    "is_consolidated": flag("Group figures."),
    "accounting_standard": text(60, "Accounting rules, as the filing names them.", null=True)
    | {"x-extensible-enum": ["IFRS", "NRS", "FRS102", "FRS105", "US-GAAP"]},
    "filing_id": natural_id("fil", "The document."),
    "filed_at": day("Day of filing.", null=True),
    "version": integer(1, 10_000, "1 for the first document of the period."),
    "is_restated": flag("Version 2 or later."),
    "derived": array(word(FIGURES, "A field.", open_ended=True), 6, "Fields computed, not read."),
    "sources": array(ref("FigureSource"), 50, "With include=sources."),
}


def components() -> dict[str, Any]:
    """Named schemas of this resource."""
    return {
        "FinancialPeriod": record(
            "One period, its newest version unless history is asked for.", _ROW, "sources"
        ),
        "FigureSource": _SOURCE,
        "FinancialsList": page("Financials of a company, newest first.", ref("FinancialPeriod"), HEAD),
    }
