"""filing.added and filing.updated: a period's first document, and a later value for it.

See docs/contract/contract.md 4.6.
Belongs here: which documents create events, which are of one filing though their periods differ in spelling or are
missing, and the object of both events. Does not belong here: versions (`financials`).
One filing.added per company and period, and one filing.updated per document, even if company and group accounts arrive
together: the group's is used. If a source gives a document without its period, each document creates an event, dated
by its filing. A later version from another register creates an event if it changes a value, not if it only adds one.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, Final

import polars as pl

from pipelines.transforms.differences import Differences, Frames, Row
from pipelines.transforms.events.emission_rules import (
    EmissionContext,
    emittable_rows,
    is_within_window,
    without_first_answers,
)
from pipelines.transforms.events.payload import (
    EventRow,
    EventSource,
    build_event,
    day_text,
    midnight_utc,
    rows_with_company,
)
from pipelines.transforms.financials.document_order import PERIOD
from pipelines.transforms.financials.periods import period_label, period_type, with_fiscal_labels
from pipelines.transforms.financials.versions import changed_fields, is_restatement
from warehouse.schema import ids
from warehouse.schema.codes import CHANGE_FIELDS, FIGURES

_UNDATED: Final = "_undated"  # the document itself, if its period is unknown
SPAN: Final = ("company_id", "period_start", "period_end", _UNDATED)
_LABELS: Final = ("fiscal_year", "fiscal_quarter")
_FIGURES: Final = ("filing_id", "period_start", "period_end", "is_consolidated", "version", "currency", *FIGURES)
# Our own choice: announcements and notices of accounts lie within days of the accounts' filing date, and the
# next period of the same kind is never filed so soon.
APART_DAYS: Final = 7
_FILED_SPAN: Final = ("company_id", "filing_type", "period_start", "period_end")
_NAMES: Final = (*_FILED_SPAN, "filing_id", "filed_at", "register")
_KIND: Final = ["company_id", "filing_type"]
_UPDATED: Final = ("company_id", "period_start", "period_end", "_document")
_FILED_FIRST: Final = ("is_amendment", "filed_at", "native_id", "filing_id")
_DOCUMENT: Final = ("filing_id", "filing_type", "native_id", "document_sha256", "is_amendment", "document_url")


def filing_events(differences: Differences, snapshot: Frames, context: EmissionContext) -> Iterator[EventRow]:
    """Events of documents that arrived with this difference."""
    if differences["filings"].added.is_empty() and differences["financials"].added.is_empty():
        return
    told = _known_filings(differences, snapshot)

    def heard(candidates: pl.DataFrame) -> pl.DataFrame:
        return emittable_rows(candidates, "register", differences["companies"].known, context)

    def new(rows: pl.DataFrame) -> pl.DataFrame:
        return without_first_answers(rows, told, pl.coalesce("filed_at", "period_end"), context)

    first, later = heard(_first_documents(differences, snapshot, told)), heard(_later_versions(differences, snapshot))
    if first.is_empty() and later.is_empty():
        return
    fresh = new(first)
    # documents of a first load count as known: a notice of one of them is no other filing
    silent = first.join(fresh, on="filing_id", how="anti").select("filing_id")
    known = pl.concat([told, differences["filings"].added.join(silent, on="filing_id", how="semi")])
    added = without_known_filings(_within_window(fresh), known)
    updated = _within_window(new(later))
    for rows, event in ((added, filing_added_event), (updated, filing_updated_event)):
        yield from map(event, rows_with_company(rows, snapshot))


def _within_window(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(is_within_window(pl.coalesce("period_end", "filed_at")))


def without_known_filings(fresh: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """The fresh documents, one per period and in order of precedence, without those already announced by another.

    Args:
        fresh: rows with the columns of FILINGS, no two of one known period.
        published: FILINGS rows known before.
    """
    concerned = published.join(fresh.select(_KIND).unique(), on=_KIND, how="semi")
    dated = pl.col("period_end").is_not_null()
    once = concerned.filter(dated).unique(_FILED_SPAN, keep="first", maintain_order=True)
    documents = pl.concat(
        [
            frame.select(_NAMES).with_columns(_fresh=pl.lit(value=mark))
            for frame, mark in ((concerned.filter(~dated), False), (once, False), (fresh, True))
        ]
    ).with_row_index("_place")
    known = [*_announced_duplicates(documents), *_same_end_duplicates(documents)]
    return fresh.filter(~pl.col("filing_id").is_in(known))


def _announced_duplicates(documents: pl.DataFrame) -> Iterator[str]:
    """Documents already covered by an announcement without a period, and announcements of known documents.

    Each announcement covers one document.
    """
    filed = documents.filter(pl.col("filed_at").is_not_null())
    if filed.is_empty():
        return
    dated = filed.filter(pl.col("period_end").is_not_null())
    pairs = filed.filter(pl.col("period_end").is_null()).join(dated, on=_KIND, suffix="_dated")
    apart = (pl.col("filed_at") - pl.col("filed_at_dated")).dt.total_days().abs()
    near = pairs.with_columns(_apart=apart).filter(pl.col("_apart") <= APART_DAYS)
    # pairs of known documents are matched first: only the rest can cover a new one
    order = near.sort(pl.col("_fresh") | pl.col("_fresh_dated"), "_apart", "_place", "_place_dated")
    taken: set[str] = set()
    for row in order.iter_rows(named=True):
        pair = row["filing_id"], row["filing_id_dated"]
        if taken.isdisjoint(pair):
            taken.update(pair)
            yield pair[0] if row["_fresh"] else pair[1]


def _same_end_duplicates(documents: pl.DataFrame) -> Iterator[str]:
    """Full-year documents with the period end of another register's document, but another start or none."""
    # only one register may know that a first year is shorter than a year
    full = (period_type() == "annual") | pl.col("period_start").is_null()
    ending = documents.filter(pl.col("period_end").is_not_null()).with_columns(_full=full)
    pairs = ending.filter("_fresh").join(ending, on=[*_KIND, "period_end"], suffix="_other")
    first = ~pl.col("_fresh_other") | (pl.col("_place_other") < pl.col("_place"))
    elsewhere = pl.col("register") != pl.col("register_other")
    same = pairs.filter(first, elsewhere, pl.col("_full") | pl.col("_full_other"))
    yield from same["filing_id"].unique().sort()


def _known_filings(differences: Differences, image: Frames) -> pl.DataFrame:
    """The documents known before."""
    filings = differences["filings"]
    before = image["filings"].join(filings.added, on="filing_id", how="anti")
    return pl.concat([before, filings.removed])


def _first_documents(differences: Differences, image: Frames, told: pl.DataFrame) -> pl.DataFrame:
    """Documents of periods that had none, with their figures; one per company and period."""
    undated = pl.when(pl.col("period_end").is_null()).then("filing_id").alias(_UNDATED)
    spans = told.with_columns(undated).select(SPAN)
    added = differences["filings"].added.with_columns(undated)
    fresh = added.join(spans, on=SPAN, how="anti", nulls_equal=True)
    own = image["financials"].filter(~pl.col("is_comparative")).select(*_FIGURES, *_LABELS)
    matched = ("filing_id", "period_start", "period_end")
    # a document alone does not know when the company's year ends: its other documents do, and so does a served label
    theirs = image["filings"].join(fresh.select("company_id").unique(), on="company_id", how="semi")
    labelled = with_fiscal_labels(theirs.with_columns(undated)).join(fresh, on="filing_id", how="semi")
    rows = labelled.join(own, on=matched, how="left", nulls_equal=True, suffix="_served")
    labels = [pl.coalesce(f"{name}_served", name).alias(name) for name in _LABELS]
    rows = rows.with_columns(*labels, version=pl.col("version").fill_null(1)).filter(pl.col("version") == 1)
    # prefer documents with figures, and the group's over the company's; of several without, the one filed first
    rank = pl.col("is_consolidated").cast(pl.Int8).fill_null(-1)
    ordered = rows.with_columns(_rank=-rank).sort("_rank", *_FILED_FIRST, nulls_last=True)
    return ordered.unique(subset=SPAN, keep="first", maintain_order=True)


def _later_versions(differences: Differences, image: Frames) -> pl.DataFrame:
    """New statements from the second version on, with the version before and their document."""
    financials = differences["financials"]
    candidates = financials.added.filter(pl.col("version") > 1, ~pl.col("is_comparative"))
    # a late-arriving older document only raises the version number of known statements
    statement = [*PERIOD, "filing_id", "currency", *FIGURES]
    pushed = pl.concat([financials.changed_before, financials.removed]).select(statement)
    fresh = candidates.join(pushed, on=statement, how="anti", nulls_equal=True)
    previous = image["financials"].with_columns(version=pl.col("version") + 1)
    rows = fresh.join(previous, on=[*PERIOD, "version"], how="inner", suffix="_before")
    documents = image["filings"].select(_DOCUMENT)
    rows = rows.join(documents, on="filing_id", how="inner").sort(*PERIOD, "version")
    # one register's accounts may be fuller than another's: they are served, but nothing was restated
    new = [
        row["register"] == row["register_before"] or is_restatement(_values_before(row), row)
        for row in rows.iter_rows(named=True)
    ]
    return _one_per_document(rows.filter(pl.Series(new, dtype=pl.Boolean)))


def _one_per_document(rows: pl.DataFrame) -> pl.DataFrame:
    """The group's statement where a document changes a period's figures of company and group: both are one event."""
    document = pl.coalesce("native_id", "document_sha256", "filing_id")
    ordered = rows.with_columns(_document=document).sort("is_consolidated", descending=True, maintain_order=True)
    return ordered.unique(subset=_UPDATED, keep="first", maintain_order=True)


def returned_filing_events(differences: Differences, snapshot: Frames, context: EmissionContext) -> Iterator[EventRow]:
    """Events of periods that are served with other figures once wrong data is retracted.

    They are of known documents, so that a version may be lower than before.
    """
    financials = differences["financials"]
    served = pl.col("is_current") & ~pl.col("is_comparative")
    before = pl.concat([financials.removed, financials.changed_before]).filter(served)
    now = snapshot["financials"].filter(served).join(before, on=PERIOD, how="inner", suffix="_before")
    rows = now.join(snapshot["filings"].select(_DOCUMENT), on="filing_id", how="inner").sort(PERIOD)
    changed = [bool(changed_fields(_values_before(row), row)) for row in rows.iter_rows(named=True)]
    told = _one_per_document(rows.filter(pl.Series(changed, dtype=pl.Boolean)))
    heard = emittable_rows(told, "register", differences["companies"].known, context)
    for row in rows_with_company(heard.filter(is_within_window(pl.col("period_end"))), snapshot):
        yield _returned_filing_event(row, context.instant)


def _values_before(row: Row) -> dict[str, Any]:
    """The values of the version before, from the `_before` columns of a row."""
    return {field: row.get(f"{field}_before", row[field]) for field in CHANGE_FIELDS}


def filing_added_event(row: Row) -> EventRow:
    """The event of a period's first document."""
    event_id = ids.filing_added_id(row["company_id"], row["period_start"], row["period_end"], row["filing_id"])
    return _build_event(event_id, "filing.added", row, _filing_object(row))


def filing_updated_event(row: Row) -> EventRow:
    """The event of a later version."""
    filing = _filing_object(row) | {
        "previous_version": row["version"] - 1,
        "reason": _update_reason(row),
        "changed_fields": _field_changes(row),
    }
    document = _document_identity(row)
    event_id = ids.filing_updated_id(row["company_id"], row["period_start"], row["period_end"], document)
    return _build_event(event_id, "filing.updated", row, filing)


def _returned_filing_event(row: Row, instant: datetime) -> EventRow:
    filing = _filing_object(row) | {
        "previous_version": row["version_before"],
        "reason": "correction",
        "changed_fields": _field_changes(row),
    }
    document = row["native_id"] or row["document_sha256"] or row["filing_id"]
    event_id = ids.filing_returned_id(row["company_id"], row["period_start"], row["period_end"], document, instant)
    return _build_event(event_id, "filing.updated", row, filing)


def _field_changes(row: Row) -> list[dict[str, Any]]:
    before = _values_before(row)
    return [
        {"field": field, "previous": _json_value(before[field]), "current": _json_value(row[field])}
        for field in changed_fields(before, row)
    ]


def _build_event(event_id: str, event_type: str, row: Row, filing: dict[str, Any]) -> EventRow:
    filed_at: date | None = row["filed_at"]
    observed_at: datetime = row["observed_at"]
    occurred_at = observed_at if filed_at is None else midnight_utc(filed_at)
    # shown in whole seconds, and ordered by: versions of one instant follow each other
    occurred_at += timedelta(microseconds=row["version"] - 1)
    source = EventSource(row["register"], row["native_id"], None, observed_at)
    return build_event(event_id, event_type, row, occurred_at, source, filing)


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
        **{name: row[name] for name in ("version", "currency", *FIGURES, "is_consolidated", "document_url")},
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
