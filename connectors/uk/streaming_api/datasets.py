"""Datasets of the streaming and REST APIs: companies, filings, insolvency and holders.

See docs/formats/uk.md 5, 7.

One dataset per stream, because each connection has its own timepoint. The three PSC streams share the tables of
`uk.psc`; single REST look-ups (`uk.checked`) share those of `uk.profiles`. Does not belong here: reading
(`rows`, `psc.parse_bodies`), connections (`connection`), or choosing look-ups (`rest_api.fetch`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile
from connectors.kit import staging
from connectors.uk import stream_events
from connectors.uk.live_schema import (
    CHECKED_KEY,
    FILED,
    FILINGS_KEY,
    INSOLVENCY,
    INSOLVENCY_KEY,
    PROFILES,
    PROFILES_KEY,
)
from connectors.uk.psc import dataset as psc_dataset
from connectors.uk.psc import parse_bodies
from connectors.uk.psc import redact as psc_redact
from connectors.uk.psc import schema as psc_schema
from connectors.uk.register import API_HOST, LICENCE
from connectors.uk.rest_api import fetch as rest_api_fetch
from connectors.uk.streaming_api import redact as streaming_api_redact
from connectors.uk.streaming_api import rows
from connectors.uk.streaming_api.connection import RegisterStream

_CADENCE: Final = Cadence(cron="30 10 * * *", stale_after_hours=72)  # the stream keeps events for about three days
_GUARD: Final = GuardLimits(max_rejected=0.05)  # a body may be a single event


def _is_profile(name: str, answer: dict[str, Any]) -> bool:
    del name
    named = isinstance(answer.get("company_name"), str) and isinstance(answer.get("company_number"), str)
    return named and ("company_status" in answer or "date_of_creation" in answer) and "items" not in answer


def _is_filing_history(name: str, answer: dict[str, Any]) -> bool:
    del name
    items = answer.get("items", [answer])
    listed = isinstance(items, list) and bool(items) and isinstance(items[0], dict)
    return listed and "transaction_id" in items[0]


def _is_insolvency(name: str, answer: dict[str, Any]) -> bool:
    """True for insolvency responses. They have no company number, so the file name must contain it."""
    return isinstance(answer.get("cases"), list) and rows.company_number_in_name(name) is not None


def _stream_dataset(key: str, name: str, title: str, **own: Any) -> Dataset:
    """Declares the dataset of one stream; `own`: its tables, folder and reader."""
    return Dataset(
        key=key,
        title=f"Companies House: {title}",
        licence=LICENCE,
        cadence=_CADENCE,
        guard_limits=_GUARD,
        host=stream_events.HOST,
        fetch=RegisterStream(name).fetch_missed,
        listen_stream=RegisterStream(name).listen,
        **own,
    )


PROFILE_STREAM: Final = _stream_dataset(
    PROFILES_KEY,
    "companies",
    "company profiles as they change",
    staged_tables={PROFILES.name: PROFILES},
    file_patterns=(
        "streaming/**/companies*",
        "streaming/**/*profile*",
        "rest_api/**/company_*",
        "rest_api/company_profile*/**/*.json",
    ),
    recognise_file=stream_events.build_recogniser(rows.PROFILE, _is_profile, "a company profile"),
    read_batches=rows.read_profiles,
    redact=streaming_api_redact.redact,
)
FILING_STREAM: Final = _stream_dataset(
    FILINGS_KEY,
    "filings",
    "filing history as it grows",
    staged_tables={FILED.name: FILED},
    file_patterns=("streaming/**/filing*", "rest_api/**/filing*", "rest_api/filing_history*/**/*.json"),
    recognise_file=stream_events.build_recogniser(rows.FILING, _is_filing_history, "a filing history"),
    read_batches=rows.read_filings,
    redact=streaming_api_redact.redact,
)
INSOLVENCY_STREAM: Final = _stream_dataset(
    INSOLVENCY_KEY,
    "insolvency-cases",
    "insolvency cases as they change",
    staged_tables={INSOLVENCY.name: INSOLVENCY},
    file_patterns=("streaming/**/insolvency*", "rest_api/**/*insolvency*"),
    recognise_file=stream_events.build_recogniser(rows.CASES, _is_insolvency, "insolvency cases"),
    read_batches=rows.read_insolvency,
    redact=streaming_api_redact.redact,
)


def _read_psc(piece: ArchiveMember) -> Iterator[Batch]:
    """Yields PSC records, and a signal if events are missing before them."""
    yield from parse_bodies.read_batches(piece)
    tally = staging.SignalCounter(piece.dataset)
    rows.count_timepoint_gap(piece, tally)
    yield staging.make_batch(psc_schema.PSC, [], None, tally.drain())


def _psc_stream_dataset(key: str, name: str, title: str) -> Dataset:
    """Declares the dataset of one PSC stream. Its files in a folder are read by `uk.psc`, like all PSC records."""
    return _stream_dataset(
        key,
        name,
        f"{title} as they change",
        staged_tables=psc_dataset.DATASET.staged_tables,
        file_patterns=(f"{name}/**",),
        recognise_file=psc_dataset.recognise_file,
        read_batches=_read_psc,
        redact=psc_redact.redact,
        mark_persons=psc_redact.redact,
    )


def _recognise_checked(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises REST responses by content, insolvency cases also by file name."""
    found = [part.recognise_file(name, head) for part in (PROFILE_STREAM, FILING_STREAM, INSOLVENCY_STREAM)]
    return next((one for one in found if isinstance(one, RecognisedFile)), found[0])


def _read_checked(piece: ArchiveMember) -> Iterator[Batch]:
    """Reads a response according to its file name; a profile by default."""
    if rest_api_fetch.FILING_HISTORY in piece.name:
        return rows.read_filings(piece)
    if rest_api_fetch.INSOLVENCY in piece.name:
        return rows.read_insolvency(piece)
    return rows.read_profiles(piece)


CHECKED: Final = Dataset(
    key=CHECKED_KEY,
    title="Companies House: single companies (REST API)",
    licence=LICENCE,
    cadence=_CADENCE,
    guard_limits=_GUARD,
    host=API_HOST,
    staged_tables={table.name: table for table in (PROFILES, FILED, INSOLVENCY)},
    file_patterns=("checked/**",),
    recognise_file=_recognise_checked,
    read_batches=_read_checked,
    fetch=rest_api_fetch.fetch,
    subjects_to_fetch=rest_api_fetch.subjects_to_fetch,
    absences_to_confirm=rest_api_fetch.absences_to_confirm,
    redact=streaming_api_redact.redact,
)
DATASETS: Final = (
    PROFILE_STREAM,
    FILING_STREAM,
    INSOLVENCY_STREAM,
    _psc_stream_dataset("uk.psc_changes", "persons-with-significant-control", "persons with significant control"),
    _psc_stream_dataset(
        "uk.statement_changes", "persons-with-significant-control-statements", "statements about control"
    ),
    _psc_stream_dataset("uk.exemption_changes", "company-exemptions", "exemptions from the regime"),
    CHECKED,
)
