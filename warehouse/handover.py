"""Schemas of the bulk export tables: columns as Parquet types, and row order.

See docs/contract/contract.md 4.15.
The columns are the members of the API's objects, in the same order; a test compares them. Does not belong here:
where rows come from (`queries.whole`), writing (`handover_files`), folders and manifests (`exports`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

VERSION: Final = 1  # of the columns: unchanged by added columns, raised by other names, types or meanings

_T, _I, _B, _D = pa.string(), pa.int64(), pa.bool_(), pa.date32()
_PERCENT: Final = pa.decimal128(9, 4)
_INSTANT: Final = pa.timestamp("us", "UTC")
_TEXTS: Final = pa.list_(_T)


def _columns(type_: pa.DataType, names: str) -> list[pa.Field]:
    """Fields of one type; a trailing ! marks a non-nullable one."""
    return [
        pa.field(name.removesuffix("!"), type_, nullable=not name.endswith("!"))
        for name in re.split(r"\s+", names)
    ]


def _struct(*parts: list[pa.Field]) -> pa.StructType:
    return pa.struct([field for part in parts for field in part])


@dataclass(frozen=True, slots=True)
class HandedTable:
    """One table. `text`: the last member of its object, which Parquet files store as JSON text."""

    name: str
    description: str
    schema: pa.Schema
    sorted_by: tuple[str, ...]
    text: str | None = None


def _table(
    name: str, description: str, sorted_by: str, *parts: list[pa.Field], text: str | None = None
) -> HandedTable:
    schema = pa.schema([field for part in parts for field in part])
    return HandedTable(name, description, schema, tuple(sorted_by.split()), text)


COMPANIES: Final = _table(
    "companies",
    "One profile per company: the 14 fields of GET /api/v1/companies/{org_number}.",
    "id",
    _columns(_T, "id! org_number! name! country! sni_code sni_label municipality county"),
    _columns(_D, "registered_date"),
    _columns(_T, "status!"),
    _columns(_B, "is_listed!"),
    _columns(_I, "latest_revenue"),
    _columns(_T, "latest_currency"),
    _columns(_I, "latest_year"),
)
DETAILS: Final = _table(
    "details",
    "One row per company: the profile fields added by include=detail,identifiers,address,sources.",
    "id",
    _columns(_T, "id! legal_form_code legal_form_label status_detail registry_status"),
    _columns(_D, "dissolved_date"),
    _columns(_I, "employees"),
    _columns(_T, "website"),
    _columns(_TEXTS, "previous_names"),
    _columns(_T, "industry_scheme is_listed_source lei"),
    _columns(_TEXTS, "isin"),
    _columns(_T, "ticker exchange_mic vat euid cik"),
    _columns(
        _struct(
            _columns(_TEXTS, "lines"),
            _columns(_T, "postal_code post_town municipality municipality_code county county_code country"),
        ),
        "address",
    ),
    _columns(
        pa.list_(
            _struct(
                _columns(_T, "register native_id url"),
                _columns(_INSTANT, "retrieved_at"),
                _columns(_T, "licence"),
                _columns(_TEXTS, "fields"),
            )
        ),
        "sources",
    ),
)
FINANCIALS: Final = _table(
    "financials",
    "The newest version of every period; is_consolidated separates the group's series from the company's own.",
    "company_id",
    _columns(_T, "company_id! period period_type!"),
    _columns(_I, "fiscal_year! fiscal_quarter"),
    _columns(_D, "period_start! period_end!"),
    _columns(_T, "currency"),
    _columns(_I, "revenue operating_result net_result equity total_assets employees"),
    _columns(_B, "is_consolidated!"),
    _columns(_T, "accounting_standard filing_id!"),
    _columns(_D, "filed_at"),
    _columns(_I, "version!"),
    _columns(_B, "is_restated!"),
    _columns(_TEXTS, "derived!"),
)
OWNERSHIP: Final = _table(
    "ownership",
    "Owners on the day ownership_as_of of the manifest. Of persons: name and country, nothing else.",
    "company_id",
    _columns(_T, "company_id! holder_id! holder_name holder_type! holder_company_id holder_country"),
    _columns(_PERCENT, "pct pct_min pct_max votes_pct"),
    _columns(_T, "share_class basis"),
    _columns(_B, "is_direct"),
    _columns(_D, "as_of! first_seen!"),
    _columns(_T, "reconciliation!"),
    _columns(
        pa.list_(
            _struct(_columns(_T, "register native_id url"), _columns(_D, "as_of"), _columns(_PERCENT, "pct"))
        ),
        "sources",
    ),
)
EVENTS: Final = _table(
    "events",
    "Every event up to as_of_sequence; data is the webhook's `data` object, as JSON text.",
    "company_id sequence",
    _columns(_T, "event_id! event_type! company_id!"),
    _columns(_INSTANT, "occurred_at! recorded_at!"),
    _columns(_I, "sequence!"),
    _columns(_T, "data!"),
    text="data",
)
TABLES: Final = (COMPANIES, DETAILS, FINANCIALS, OWNERSHIP, EVENTS)
