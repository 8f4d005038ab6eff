"""Fetches single filings named by the feeds, once each by accession number (docs/formats/us.md 4, 8).

For current reports the page `-index-headers.html` is enough: header and list of documents in a few kilobytes.
Forms 25 and 15 are fetched in full, since the document has the class of securities. Does not belong here:
reading (`dataset`), or which filings are named (`filing_subjects`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import polars as pl

from connectors.kit.formats import BodyFormat
from connectors.us.feeds.pending_filings import CURRENT_REPORTS, DEREGISTRATIONS, REMOVALS, FeedFiling, filing_subjects
from connectors.us.fetch_each import FilingFetcher
from connectors.us.register import ARCHIVES_URL
from connectors.us.submissions import schema as s

FORMS: Final = CURRENT_REPORTS | {"6-K"} | REMOVALS | DEREGISTRATIONS
WHOLE: Final = REMOVALS | DEREGISTRATIONS


def subjects_to_fetch(staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Filings of the forms that are read here."""
    return filing_subjects(staged, FORMS)


def end_filings_to_fetch(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Filings that show how filers ended, named by their lists (`us.submissions`), oldest first.

    Chosen by `status_evidence.end_filings_to_read`: removals and ends of registration from before the feeds were
    followed, and the current reports around them, which may announce a dissolution.
    """
    if s.ENDINGS.name not in tables:
        return
    named = tables[s.ENDINGS.name].unique([s.CIK, s.ACCESSION]).sort(s.FILED, s.ACCESSION, s.CIK)
    for cik, accession, form, filed in named.select(s.CIK, s.ACCESSION, s.FORM, s.FILED).iter_rows():
        yield str(FeedFiling(accession, cik, form, filed.isoformat()))


def filing_fetch_url(filing: FeedFiling) -> str:
    """URL of a filing: the CIK of any of its parties works in the path."""
    if filing.form.removesuffix("/A") in WHOLE:
        return full_submission_url(filing)
    return f"{_filing_folder_url(filing)}-index-headers.html"


def full_submission_url(filing: FeedFiling) -> str:
    """URL of a full submission with all documents."""
    return f"{_filing_folder_url(filing)}.txt"


def _filing_folder_url(filing: FeedFiling) -> str:
    return f"{ARCHIVES_URL}/data/{int(filing.cik)}/{filing.accession.replace('-', '')}/{filing.accession}"


def _file_name(filing: FeedFiling, url: str) -> str:
    return f"headers-{filing.accession}{url.rpartition(filing.accession)[2]}"


_FORMATS: Final = frozenset({BodyFormat.HTML, BodyFormat.TEXT, BodyFormat.XML})
fetch: Final = FilingFetcher(filing_fetch_url, _file_name, _FORMATS).fetch
fetch_full_submissions: Final = FilingFetcher(full_submission_url, _file_name, _FORMATS).fetch
