"""The objects of filing.added and filing.updated, in the contract's format.

Does not belong here: which filings are new (`filing`).
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from pipelines.transforms.differences import Row
from pipelines.transforms.events.payload import EventRow, EventSource, day_text, event_payload, midnight_utc
from pipelines.transforms.financials.periods import period_label
from pipelines.transforms.financials.statement_diff import changed_fields
from warehouse.schema import ids
from warehouse.schema.codes import CHANGE_FIELDS


def filing_added_event(row: Row) -> EventRow:
    """The event of a period's first document."""
    event_id = ids.filing_added_id(row["company_id"], row["period_start"], row["period_end"], row["filing_id"])
    return _build_event(event_id, "filing.added", row, _filing_object(row))


def filing_updated_event(row: Row) -> EventRow:
    """The event of a later version; `_before` columns hold the version before."""
    before = {field: row.get(f"{field}_before", row[field]) for field in CHANGE_FIELDS}
    changes = [
        {"field": field, "previous": _json_value(before[field]), "current": _json_value(row[field])}
        for field in changed_fields(before, row)
    ]
    filing = _filing_object(row) | {
        "previous_version": row["version"] - 1,
        "reason": _update_reason(row),
        "changed_fields": changes,
    }
    document = _document_identity(row)
    event_id = ids.filing_updated_id(row["company_id"], row["period_start"], row["period_end"], document)
    return _build_event(event_id, "filing.updated", row, filing)


def _build_event(event_id: str, event_type: str, row: Row, filing: dict[str, Any]) -> EventRow:
    filed_at: date | None = row["filed_at"]
    observed_at: datetime = row["observed_at"]
    occurred_at = observed_at if filed_at is None else midnight_utc(filed_at)
    source = EventSource(row["register"], row["native_id"], None, observed_at)
    document = event_payload(row, occurred_at, source, "filing", filing)
    return EventRow(event_id, event_type, row["company_id"], occurred_at, document)


def _filing_object(row: Row) -> dict[str, Any]:
    return {
        "filing_id": row["filing_id"],
        "filing_type": row["filing_type"],
        "period": period_label(row["period_type"], row["fiscal_year"], row["fiscal_quarter"]),
        "period_type": row["period_type"],
        "fiscal_year": row["fiscal_year"],
        "fiscal_quarter": row["fiscal_quarter"],
        "period_start": day_text(row["period_start"]),
        "period_end": day_text(row["period_end"]),
        "filed_at": day_text(row["filed_at"]),
        "version": row["version"],
        "currency": row["currency"],
        "revenue": row["revenue"],
        "operating_result": row["operating_result"],
        "net_result": row["net_result"],
        "equity": row["equity"],
        "total_assets": row["total_assets"],
        "employees": row["employees"],
        "is_consolidated": row["is_consolidated"],
        "document_url": row["document_url"],
    }


def _json_value(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def _is_same_document(row: Row) -> bool:
    return row["filing_id"] == row["filing_id_before"]


def _update_reason(row: Row) -> str:
    """Reason of an update, as far as the documents show it.

    amendment: the document is marked as one; correction: the register serves other figures under the same
    document; restatement: another full-year (audited) document states other figures; else unknown.
    """
    if row["is_amendment"]:
        return "amendment"
    if _is_same_document(row):
        return "correction"
    return "restatement" if row["period_type"] == "annual" else "unknown"


def _document_identity(row: Row) -> str:
    """Identity of a document in event ids: the register's id, else its hash.

    Figures replaced a second time under one register id are distinguished by the bytes they came in.
    """
    if _is_same_document(row) and row["version"] > 2:  # noqa: PLR2004 - the first replacement makes version 2
        return row["raw"] or row["filing_id"]
    return row["native_id"] or row["document_sha256"] or row["filing_id"]
