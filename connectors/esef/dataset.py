"""The dataset `<cc>.esef` of a market.

Belongs here: the declaration, recognition and reading of files. Does not belong here: fetching (`fetch`),
pages (`filing_index`), reports (`report`), the shared tables (`mapping`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.esef import fetch, schema
from connectors.esef.filing_index import NotFilingIndexError, parse_index_batch
from connectors.esef.report import parse_report_row
from connectors.esef.xbrl_json import NotXbrlReportError
from connectors.kit import staging
from connectors.kit.columns.text import AHEAD
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.staging import SignalCounter

LICENCE: Final = Licence(
    "public filings", "https://filings.xbrl.org/about", "Source: filings.xbrl.org (XBRL International)"
)
_FOLDERS: Final = ("esef/**", "filings_xbrl_org/**")
_LIMIT: Final = 512 << 20  # text blocks make reports of tens of megabytes
_HEAD: Final = 65_536
_REPORT: Final = re.compile(rb'"documentType"\s*:\s*"[^"]*xbrl-json"')
_FACTS: Final = re.compile(rb'"documentInfo"|"facts"\s*:\s*\{')
_FILINGS: Final = re.compile(rb'"type"\s*:\s*"filing"')
_ERRORS: Final = re.compile(rb'\s*\{\s*"errors"\s*:')
_STATUS: Final = re.compile(rb'"status"\s*:\s*"(\d{3})"')
_EMPTY: Final = re.compile(rb'"data"\s*:\s*\[\s*\]')


def esef_dataset(market: str) -> Dataset:
    """Declares a market's dataset of ESEF reports."""
    tables = (schema.index_table(market), schema.report_table(market))
    return Dataset(
        key=schema.dataset_key(market),
        title="filings.xbrl.org: ESEF annual reports",
        licence=LICENCE,
        cadence=Cadence(cron="20 4 * * *", stale_after_hours=24 * 7),
        guard_limits=GuardLimits(max_rejected=0.05),
        host=schema.HOST,
        staged_tables={table.name: table for table in tables},
        file_patterns=(*_FOLDERS, "esef_*"),
        foreign_patterns=_FOLDERS,  # a report belongs to the issuer that its LEI names, wherever it was filed
        recognise_file=recognise_file,
        read_batches=partial(_read, market),
        fetch=partial(fetch.fetch, market),
    )


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises a page of the index or an xBRL-JSON report; both have scope PART."""
    del name
    head = head.removeprefix(b"\xef\xbb\xbf")
    reason = _not_applicable_reason(head)
    return RecognisedFile(None, Scope.PART) if reason is None else NotApplicable(reason)


def _not_applicable_reason(head: bytes) -> str | None:
    kind = detect_body_format(head)
    if kind is not BodyFormat.JSON:
        return f"{kind}: of filings.xbrl.org, index pages and xBRL-JSON are read; packages are not"
    if _ERRORS.match(head):
        status = _STATUS.search(head)
        return f"error answer of filings.xbrl.org (status {status[1].decode() if status else 'unknown'})"
    if _FILINGS.search(head) or _REPORT.search(head) or _FACTS.search(head):
        return None
    return "no filings on this page" if _EMPTY.search(head) else "neither a page of filings nor xBRL-JSON"


def _read(market: str, piece: ArchiveMember) -> Iterator[Batch]:
    with staging.open_plain(piece) as body:
        text = body.read(_LIMIT + 1).removeprefix(b"\xef\xbb\xbf")
    if len(text) > _LIMIT:
        raise piece.unreadable_error(f"more than {_LIMIT} bytes")
    tally = SignalCounter(piece.dataset)
    with staging.unreadable_on(piece, (NotXbrlReportError, NotFilingIndexError, *MALFORMED)):
        if _FILINGS.search(text[:_HEAD]):
            yield parse_index_batch(market, msgspec.json.decode(text), tally)
        else:
            row = parse_report_row(text, piece.member_name or piece.name, piece.observed_at.date() + AHEAD, tally)
            yield staging.make_batch(schema.report_table(market), [row], None, tally.drain())
