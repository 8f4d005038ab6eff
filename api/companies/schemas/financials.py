"""Schema of financial rows (docs/contract/contract.md 4.3).

Does not belong here: selecting the version of a period (`pipelines.transforms`).
"""

from typing import Any, Final

from api.openapi.schema_types import (
    CURRENCY,
    HEAD,
    REGISTER,
    array_schema,
    boolean_schema,
    date_schema,
    enum_schema,
    instant_schema,
    integer_schema,
    money_schema,
    natural_id_schema,
    object_schema,
    page_schema,
    schema_reference,
    text_schema,
    url_schema,
)
from warehouse.schema.codes import FIGURES, PERIOD_TYPES

PERIOD: Final = text_schema(10, "For example 2025 or 2026-Q3.", pattern="^[0-9]{4}(-Q[1-4])?$")
FIGURE_SCHEMAS: Final = {
    "revenue": money_schema("Operating revenue."),
    "operating_result": money_schema("Operating profit or loss."),
    "net_result": money_schema("Profit or loss for the period."),
    "equity": money_schema("Equity at the end of the period."),
    "total_assets": money_schema("Total assets at the end of the period."),
    "employees": integer_schema(0, 100_000_000, "Average number of employees in the period.", null=True),
}
_SOURCE: Final = object_schema(
    "The document the figures come from.",
    {
        "register": REGISTER,
        "native_id": text_schema(200, "Id in the register.", null=True),
        "url": url_schema("Public URL of the document."),
        "retrieved_at": instant_schema("When it was fetched.", null=True),
    },
)
_ROW: Final = {
    "period": PERIOD,
    "period_type": enum_schema(PERIOD_TYPES, "Type of period."),
    "fiscal_year": integer_schema(1900, 2200, "Year of period_end (US: as labelled by the filer)."),
    "fiscal_quarter": integer_schema(1, 4, "Quarterly periods only.", null=True),
    "period_start": date_schema("First day of the period."),
    "period_end": date_schema("Last day of the period."),
    "currency": CURRENCY,
    **FIGURE_SCHEMAS,
    "is_consolidated": boolean_schema("Whether the figures are consolidated."),
    "accounting_standard": text_schema(60, "Accounting standard, as named in the filing.", null=True)
    | {"x-extensible-enum": ["IFRS", "NRS", "FRS102", "FRS105", "US-GAAP"]},
    "filing_id": natural_id_schema("fil", "The document."),
    "filed_at": date_schema("Date of filing.", null=True),
    "version": integer_schema(1, 10_000, "Version number; 1 for the first document of the period."),
    "is_restated": boolean_schema("Whether this is version 2 or later."),
    "derived": array_schema(
        enum_schema(FIGURES, "A field.", open_ended=True),
        6,
        "Fields that were computed instead of read from the document.",
    ),
    "sources": array_schema(schema_reference("FigureSource"), 50, "Present with include=sources."),
}


def schema_components() -> dict[str, Any]:
    """Named schemas of this resource."""
    return {
        "FinancialPeriod": object_schema(
            "One period in its newest version; with include=history also earlier versions.", _ROW, "sources"
        ),
        "FigureSource": _SOURCE,
        "FinancialsList": page_schema(
            "Financials of a company, newest first.", schema_reference("FinancialPeriod"), HEAD
        ),
    }
