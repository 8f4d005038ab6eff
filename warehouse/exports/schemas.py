"""Schemas of the bulk export tables: columns as Parquet types, and row order.

See docs/contract/contract.md 4.15.
The columns are the members of the API's objects, in the same order; a test compares them. Does not belong here:
where rows come from (`reader.queries.market_dump`), writing (`sinks`), folders and manifests (`exports`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from warehouse.schema import tables
from warehouse.schema.types import ColumnKind

VERSION: Final = 1  # of the columns: unchanged by added columns, raised by other names, types or meanings

_T, _I, _B, _D = pa.string(), pa.int64(), pa.bool_(), pa.date32()
_PERCENT: Final = pa.decimal128(9, 4)
_INSTANT: Final = pa.timestamp("us", "UTC")
_TEXTS: Final = pa.list_(_T)
_TYPES: Final = {
    ColumnKind.TEXT: _T,
    ColumnKind.TEXTS: _TEXTS,
    ColumnKind.INTEGER: _I,
    ColumnKind.BOOLEAN: _B,
    ColumnKind.DATE: _D,
}


def _typed_fields(type_: pa.DataType, names: str) -> list[pa.Field]:
    """Fields of one type; a trailing ! marks a non-nullable one."""
    return [
        pa.field(name.removesuffix("!"), type_, nullable=not name.endswith("!")) for name in re.split(r"\s+", names)
    ]


def _struct_type(*parts: list[pa.Field]) -> pa.StructType:
    return pa.struct([field for part in parts for field in part])


@dataclass(frozen=True, slots=True)
class ExportTable:
    """One table. `text`: the last member of its object, which Parquet files store as JSON text."""

    name: str
    description: str
    schema: pa.Schema
    sorted_by: tuple[str, ...]
    text: str | None = None


def _export_table(
    name: str, description: str, sorted_by: str, *parts: list[pa.Field], text: str | None = None
) -> ExportTable:
    schema = pa.schema([field for part in parts for field in part])
    return ExportTable(name, description, schema, tuple(sorted_by.split()), text)


COMPANIES: Final = _export_table(
    "companies",
    "One profile per company: the 14 fields of GET /api/v1/companies/{org_number}.",
    "id",
    _typed_fields(_T, "id! org_number! name! country! sni_code sni_label municipality county"),
    _typed_fields(_D, "registered_date"),
    _typed_fields(_T, "status!"),
    _typed_fields(_B, "is_listed!"),
    _typed_fields(_I, "latest_revenue"),
    _typed_fields(_T, "latest_currency"),
    _typed_fields(_I, "latest_year"),
)
DETAILS: Final = _export_table(
    "details",
    "One row per company: the profile fields added by include=detail,identifiers,address,sources.",
    "id",
    _typed_fields(_T, "id!"),
    [pa.field(name, _TYPES[tables.COMPANIES.column(name).kind]) for name in tables.COMPANY_DETAILS],
    _typed_fields(_T, "lei"),
    _typed_fields(_TEXTS, "isin"),
    _typed_fields(_T, "ticker exchange_mic vat euid cik"),
    _typed_fields(
        _struct_type(
            _typed_fields(_TEXTS, "lines"),
            _typed_fields(_T, "postal_code post_town municipality municipality_code county county_code country"),
        ),
        "address",
    ),
    _typed_fields(
        pa.list_(
            _struct_type(
                _typed_fields(_T, "register native_id url"),
                _typed_fields(_INSTANT, "retrieved_at"),
                _typed_fields(_T, "licence"),
                _typed_fields(_TEXTS, "fields"),
            )
        ),
        "sources",
    ),
)
FINANCIALS: Final = _export_table(
    "financials",
    "The newest version of every period; is_consolidated separates the group's series from the company's own.",
    "company_id",
    _typed_fields(_T, "company_id! period period_type!"),
    _typed_fields(_I, "fiscal_year! fiscal_quarter"),
    _typed_fields(_D, "period_start! period_end!"),
    _typed_fields(_T, "currency"),
    _typed_fields(_I, "revenue operating_result net_result equity total_assets employees"),
    _typed_fields(_B, "is_consolidated!"),
    _typed_fields(_T, "accounting_standard filing_id!"),
    _typed_fields(_D, "filed_at"),
    _typed_fields(_I, "version!"),
    _typed_fields(_B, "is_restated!"),
    _typed_fields(_TEXTS, "derived!"),
    _typed_fields(_I, "period_months"),
)
OWNERSHIP: Final = _export_table(
    "ownership",
    "Owners on the day ownership_as_of of the manifest. Of persons: name and country, nothing else.",
    "company_id",
    _typed_fields(_T, "company_id! holder_id! holder_name holder_type! holder_company_id holder_country"),
    _typed_fields(_PERCENT, "pct pct_min pct_max votes_pct"),
    _typed_fields(_T, "share_class basis"),
    _typed_fields(_B, "is_direct"),
    _typed_fields(_D, "as_of! first_seen!"),
    _typed_fields(_T, "reconciliation!"),
    _typed_fields(
        pa.list_(
            _struct_type(
                _typed_fields(_T, "register native_id url"), _typed_fields(_D, "as_of"), _typed_fields(_PERCENT, "pct")
            )
        ),
        "sources",
    ),
)
FILINGS: Final = _export_table(
    "filings",
    "Every document filed; figures of a document are in financials, if its version is the newest of its period.",
    "company_id",
    _typed_fields(_T, "company_id! filing_id! filing_type! form period period_type"),
    _typed_fields(_I, "fiscal_year fiscal_quarter"),
    _typed_fields(_D, "period_start period_end filed_at"),
    _typed_fields(_INSTANT, "accepted_at"),
    _typed_fields(_T, "document_url"),
    _typed_fields(_B, "is_consolidated"),
    [
        pa.field(
            "versions",
            pa.list_(
                _struct_type(
                    _typed_fields(_I, "version"),
                    _typed_fields(_T, "filing_id"),
                    _typed_fields(_D, "filed_at"),
                    _typed_fields(_B, "is_current"),
                )
            ),
            nullable=False,
        )
    ],
    _typed_fields(_T, "supersedes"),
    _typed_fields(
        pa.list_(_struct_type(_typed_fields(_T, "register native_id url"), _typed_fields(_INSTANT, "retrieved_at"))),
        "sources!",
    ),
)
EVENTS: Final = _export_table(
    "events",
    "Every event up to as_of_sequence; data is the webhook's `data` object, as JSON text.",
    "company_id sequence",
    _typed_fields(_T, "event_id! event_type! company_id!"),
    _typed_fields(_INSTANT, "occurred_at! recorded_at!"),
    _typed_fields(_I, "sequence!"),
    _typed_fields(_T, "data!"),
    text="data",
)
TABLES: Final = (COMPANIES, DETAILS, FINANCIALS, FILINGS, OWNERSHIP, EVENTS)
DELETES: Final = _export_table(
    "deletes",
    "Companies whose rows of one table are no longer those of the base; what they have now is among the upserts.",
    "company_id",
    _typed_fields(_T, "company_id!"),
)
