"""filing.added and filing.updated: a period's first document, and a later value for it.

See docs/contract/contract.md 4.6.
Belongs here: which documents create events. Does not belong here: versions (`financials`), or the format of
the object (`filing_payload`).
One filing.added per company and period, even if company and group accounts arrive together: the group's is
used. If a source gives a document without its period, each document creates an event, dated by its filing. A
later version from another register creates an event if it changes a value, not if it only adds one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from pipelines.transforms.differences import Differences, Frames, Row
from pipelines.transforms.events.emission_rules import EmissionContext, emittable_rows, is_within_window
from pipelines.transforms.events.filing_payload import filing_added_event, filing_updated_event
from pipelines.transforms.events.payload import EventRow
from pipelines.transforms.financials.filing_dedup import without_known_filings
from pipelines.transforms.financials.periods import with_fiscal_labels
from pipelines.transforms.financials.statement_diff import is_restatement
from pipelines.transforms.financials.versions import PERIOD
from warehouse.schema.codes import CHANGE_FIELDS, FIGURES

_UNDATED: Final = "_undated"  # the document itself, if its period is unknown
SPAN: Final = ("company_id", "period_start", "period_end", _UNDATED)
_COMPANY: Final = ("company_id", "org_number", "name", "country")
_LABELS: Final = ("fiscal_year", "fiscal_quarter")
_FIGURES: Final = ("filing_id", "period_start", "period_end", "is_consolidated", "version", "currency", *FIGURES)


def filing_events(differences: Differences, snapshot: Frames, context: EmissionContext) -> Iterator[EventRow]:
    """Events of documents that arrived with this difference."""
    companies = snapshot["companies"].select(_COMPANY)

    def heard(candidates: pl.DataFrame) -> pl.DataFrame:
        rows = emittable_rows(candidates, "register", differences["companies"].known, context)
        return rows.filter(is_within_window(pl.coalesce("period_end", "filed_at")))

    told = _known_filings(differences, snapshot)
    added = without_known_filings(heard(_first_documents(differences, snapshot, told)), told)
    for rows, event in (
        (added, filing_added_event),
        (heard(_later_versions(differences, snapshot)), filing_updated_event),
    ):
        for row in rows.join(companies, on="company_id").iter_rows(named=True):
            yield event(row)


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
    rows = with_fiscal_labels(fresh).join(own, on=matched, how="left", nulls_equal=True, suffix="_served")
    # use the label served for the period: a document alone does not know when the company's year ends
    labels = [pl.coalesce(f"{name}_served", name).alias(name) for name in _LABELS]
    rows = rows.with_columns(*labels, version=pl.col("version").fill_null(1)).filter(pl.col("version") == 1)
    # prefer documents with figures, and the group's over the company's
    rank = pl.col("is_consolidated").cast(pl.Int8).fill_null(-1)
    ordered = rows.with_columns(_rank=rank).sort("_rank", "filing_id", descending=[True, False])
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
    documents = image["filings"].select(
        "filing_id", "filing_type", "native_id", "document_sha256", "is_amendment", "document_url"
    )
    rows = rows.join(documents, on="filing_id", how="inner").sort(*PERIOD, "version")
    # one register's accounts may be fuller than another's: they are served, but nothing was restated
    new = [row["register"] == row["register_before"] or _has_restated_values(row) for row in rows.iter_rows(named=True)]
    return rows.filter(pl.Series(new, dtype=pl.Boolean))


def _has_restated_values(row: Row) -> bool:
    before = {field: row.get(f"{field}_before", row[field]) for field in CHANGE_FIELDS}
    return is_restatement(before, row)
