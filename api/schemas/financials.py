"""Schema of financial rows (docs/contract/contract.md 4.3).

Does not belong here: selecting the version of a period (`pipelines.steps`).
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

PERIOD: Final = text(10, "For example 2025 or 2026-Q3.", pattern="^[0-9]{4}(-Q[1-4])?$")
FIGURE_SCHEMAS: Final = {
    "revenue": money("Operating revenue."),
    "operating_result": money("Operating profit or loss."),
    "net_result": money("Profit or loss for the period."),
    "equity": money("Equity at the end of the period."),
    "total_assets": money("Total assets at the end of the period."),
    "employees": integer(0, 100_000_000, "Average number of employees in the period.", null=True),
}
_SOURCE: Final = record(
    "The document the figures come from.",
    {
        "register": REGISTER,
        "native_id": text(200, "Id in the register.", null=True),
        "url": address("Public URL of the document."),
        "retrieved_at": instant("When it was fetched.", null=True),
    },
)
_ROW: Final = {
    "period": PERIOD,
    "period_type": word(PERIOD_TYPES, "Type of period."),
    "fiscal_year": integer(1900, 2200, "Year of period_end (US: as labelled by the filer)."),
    "fiscal_quarter": integer(1, 4, "Quarterly periods only.", null=True),
    "period_start": day("First day of the period."),
    "period_end": day("Last day of the period."),
    "currency": CURRENCY,
    **FIGURE_SCHEMAS,
    "is_consolidated": flag("Whether the figures are consolidated."),
    "accounting_standard": text(60, "Accounting standard, as named in the filing.", null=True)
    | {"x-extensible-enum": ["IFRS", "NRS", "FRS102", "FRS105", "US-GAAP"]},
    "filing_id": natural_id("fil", "The document."),
    "filed_at": day("Date of filing.", null=True),
    "version": integer(1, 10_000, "Version number; 1 for the first document of the period."),
    "is_restated": flag("Whether this is version 2 or later."),
    "derived": array(
        word(FIGURES, "A field.", open_ended=True),
        6,
        "Fields that were computed instead of read from the document.",
    ),
    "sources": array(ref("FigureSource"), 50, "Present with include=sources."),
}


def components() -> dict[str, Any]:
    """Named schemas of this resource."""
    return {
        "FinancialPeriod": record(
            "One period in its newest version; with include=history also earlier versions.", _ROW, "sources"
        ),
        "FigureSource": _SOURCE,
        "FinancialsList": page("Financials of a company, newest first.", ref("FinancialPeriod"), HEAD),
    }
