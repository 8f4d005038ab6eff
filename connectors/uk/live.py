"""Datasets of the streaming and REST APIs: companies, filings, insolvency and holders.

See docs/formats/uk.md 5, 7.

One dataset per stream, because each connection has its own timepoint. The three PSC streams share the tables of
`uk.psc`; single REST look-ups (`uk.checked`) share those of `uk.profiles`. Does not belong here: reading
(`live_records`, `psc_records`), connections (`streams_fetch`), or choosing look-ups (`rest`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised
from connectors.kit import staged
from connectors.uk import live_records, live_redact, psc, psc_records, psc_redact, psc_schema, rest, streams
from connectors.uk.licence import LICENCE
from connectors.uk.live_schema import (
    CHECKED_KEY,
    FILED,
    FILINGS_KEY,
    INSOLVENCY,
    INSOLVENCY_KEY,
    PROFILES,
    PROFILES_KEY,
)
from connectors.uk.streams_fetch import Stream

_CADENCE: Final = Cadence(
    cron="30 10 * * *", stale_after_hours=72
)  # the stream keeps events for about three days
_GUARD: Final = Guard(max_rejected=0.05)  # a body may be a single event
_RATE: Final = 1.0  # connections per second to the stream's host


def _is_profile(name: str, answer: dict[str, Any]) -> bool:
    del name
    named = isinstance(answer.get("company_name"), str) and isinstance(answer.get("company_number"), str)
    return named and ("company_status" in answer or "date_of_creation" in answer) and "items" not in answer


def _is_history(name: str, answer: dict[str, Any]) -> bool:
    del name
    items = answer.get("items", [answer])
    listed = isinstance(items, list) and bool(items) and isinstance(items[0], dict)
    return listed and "transaction_id" in items[0]


def _is_insolvency(name: str, answer: dict[str, Any]) -> bool:
    """True for insolvency responses. They have no company number, so the file name must contain it."""
    return isinstance(answer.get("cases"), list) and live_records.company_named(name) is not None


def _stream(key: str, name: str, title: str, **own: Any) -> Dataset:
    """Declares the dataset of one stream; `own`: its tables, folder and reader."""
    return Dataset(
        key=key,
        title=f"Companies House: {title}",
        licence=LICENCE,
        cadence=_CADENCE,
        guard=_GUARD,
        host=streams.HOST,
        split=staged.single,
        fetch=Stream(name).catch_up,
        listen=Stream(name).listen,
        rate=_RATE,
        **own,
    )


PROFILE_STREAM: Final = _stream(
    PROFILES_KEY,
    "companies",
    "company profiles as they change",
    staged={PROFILES.name: PROFILES},
    files=(
        "streaming/**/companies*",
        "streaming/**/*profile*",
        "rest_api/**/company_*",
        "rest_api/company_profile*/**/*.json",
    ),
    recognise=streams.recogniser(live_records.PROFILE, _is_profile, "a company profile"),
    read=live_records.profiles,
    redact=live_redact.redact,
)
FILING_STREAM: Final = _stream(
    FILINGS_KEY,
    "filings",
    "filing history as it grows",
    staged={FILED.name: FILED},
    files=("streaming/**/filing*", "rest_api/**/filing*", "rest_api/filing_history*/**/*.json"),
    recognise=streams.recogniser(live_records.FILING, _is_history, "a filing history"),
    read=live_records.filings,
    redact=live_redact.redact,
)
INSOLVENCY_STREAM: Final = _stream(
    INSOLVENCY_KEY,
    "insolvency-cases",
    "insolvency cases as they change",
    staged={INSOLVENCY.name: INSOLVENCY},
    files=("streaming/**/insolvency*", "rest_api/**/*insolvency*"),
    recognise=streams.recogniser(live_records.CASES, _is_insolvency, "insolvency cases"),
    read=live_records.insolvency,
    redact=live_redact.redact,
)


def _read_psc(piece: Piece) -> Iterator[Batch]:
    """Yields PSC records, and a signal if events are missing before them."""
    yield from psc_records.read(piece)
    tally = staged.Tally(piece.dataset)
    live_records.count_gap(piece, tally)
    yield staged.batch(psc_schema.PSC, [], None, tally.drain())


def _psc_stream(key: str, name: str, title: str) -> Dataset:
    """Declares the dataset of one PSC stream. Its files in a folder are read by `uk.psc`, like all PSC records."""
    return _stream(
        key,
        name,
        f"{title} as they change",
        staged=psc.DATASET.staged,
        files=(f"{name}/**",),
        recognise=psc.recognise,
        read=_read_psc,
        redact=psc_redact.redact,
    )


def _checked(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises REST responses by content, insolvency cases also by file name."""
    found = [part.recognise(name, head) for part in (PROFILE_STREAM, FILING_STREAM, INSOLVENCY_STREAM)]
    return next((one for one in found if isinstance(one, Recognised)), found[0])


def _read_checked(piece: Piece) -> Iterator[Batch]:
    """Reads a response according to its file name; a profile by default."""
    if rest.FILING_HISTORY in piece.name:
        return live_records.filings(piece)
    if rest.INSOLVENCY in piece.name:
        return live_records.insolvency(piece)
    return live_records.profiles(piece)


CHECKED: Final = Dataset(
    key=CHECKED_KEY,
    title="Companies House: single companies (REST API)",
    licence=LICENCE,
    cadence=_CADENCE,
    guard=_GUARD,
    host=rest.HOST,
    staged={table.name: table for table in (PROFILES, FILED, INSOLVENCY)},
    files=("checked/**",),
    recognise=_checked,
    split=staged.single,
    read=_read_checked,
    fetch=rest.fetch,
    wants=rest.named,
    doubts=rest.doubted,
    redact=live_redact.redact,
    rate=rest.RATE,
    limiter=rest.LIMITER,
)
DATASETS: Final = (
    PROFILE_STREAM,
    FILING_STREAM,
    INSOLVENCY_STREAM,
    _psc_stream("uk.psc_changes", "persons-with-significant-control", "persons with significant control"),
    _psc_stream(
        "uk.statement_changes", "persons-with-significant-control-statements", "statements about control"
    ),
    _psc_stream("uk.exemption_changes", "company-exemptions", "exemptions from the regime"),
    CHECKED,
)
