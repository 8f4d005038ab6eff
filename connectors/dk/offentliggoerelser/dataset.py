"""Dataset dk.offentliggoerelser: publications of annual reports, from the open search index.

Belongs here: the declaration, recognising files, a hit to a row, requests. Does not belong here: the documents
(`regnskaber`), filings (`regnskaber.mapping`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, Cursor, FetchedFile, NotApplicable, RecognisedFile, Scope
from connectors.dk.answers import hits_member
from connectors.dk.offentliggoerelser.schema import KEY, PUBLICATIONS
from connectors.dk.register import HOST, LICENCE, MARKET, canonical_number
from connectors.dk.search import SearchIndex, fetch_changes
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.json import structs
from connectors.kit.staging import RejectedRecordError
from connectors.kit.xbrl.facts import parse_day
from warehouse.schema.markets import MARKETS

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

REPORT: Final = "regnskab"
ANNUAL: Final = "AARSRAPPORT"  # kinds of documents begin with it
PDF: Final = "application/pdf"
_FIRST: Final = timedelta(days=550)  # how far the first run goes back: the latest report of every company
_LOCAL: Final = ZoneInfo(MARKETS[MARKET].time_zone)
_FIELDS: Final = (
    "cvrNummer", "offentliggoerelsestype", "offentliggoerelsesTidspunkt", "omgoerelse", "sagsNummer", "sidstOpdateret",
    "regnskab", "dokumenter",
)  # fmt: skip
INDEX: Final = SearchIndex(
    url=f"http://{HOST}/offentliggoerelser/_search",
    name="offentliggoerelser",
    instant="offentliggoerelsesTidspunkt",
    number="cvrNummer",
    fields=_FIELDS,
    first=lambda now: now - _FIRST,
    conditions=({"term": {"offentliggoerelsestype": REPORT}},),
)


class PublishedDocument(msgspec.Struct, gc=False):
    """One document of a publication."""

    dokumentType: str = ""  # noqa: N815 - the source's name
    dokumentMimeType: str = ""  # noqa: N815 - the source's name
    dokumentUrl: str = ""  # noqa: N815 - the source's name


class Publication(msgspec.Struct, gc=False):
    """The source of a hit."""

    cvrNummer: int | str | None = None  # noqa: N815 - the source's name
    offentliggoerelsestype: str | None = None
    offentliggoerelsesTidspunkt: str | None = None  # noqa: N815 - the source's name
    omgoerelse: bool | None = None
    sagsNummer: str | None = None  # noqa: N815 - the source's name
    regnskab: Any = None
    dokumenter: list[PublishedDocument] | None = None


class PublicationHit(msgspec.Struct, gc=False):
    """One hit."""

    id: str = msgspec.field(name="_id", default="")
    source: Publication = msgspec.field(name="_source", default_factory=Publication)


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises answers of the index by their members."""
    head = plain_head(head)
    if detect_body_format(head) is not BodyFormat.JSON:
        return NotApplicable(f"{detect_body_format(head).value}, not an answer of the index of publications")
    if b'"offentliggoerelsesTidspunkt"' in head:
        return RecognisedFile(None, Scope.PART)
    return NotApplicable("an answer without publications")


def fetch(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Pages of reports published since the cursor; in the first run those of the last 18 months."""
    del subjects
    yield from fetch_changes(INDEX, http, cursor)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches of `dk_offentliggoerelse`."""
    batch = staging.BatchBuilder(member.dataset)
    for chunk in structs.decode_chunks(hits_member(member), PublicationHit, batch.tally, key="_id"):
        rows: dict[str, dict[str, Any]] = {}
        for hit in chunk.records:
            try:
                rows[hit.id] = _publication_row(hit)
            except RejectedRecordError as error:
                batch.reject(hit.id, error)
        for record, reason, excerpt in chunk.rejects.iter_rows():
            batch.reject(record, reason, excerpt)
        yield batch.build(PUBLICATIONS, rows.values())


def _publication_row(hit: PublicationHit) -> dict[str, Any]:
    """The row of a hit. Raises RejectedRecordError for another kind, or one without id, number or time."""
    source = hit.source
    if source.offentliggoerelsestype not in (REPORT, None):
        raise RejectedRecordError(f"not a company: a publication of another kind ({source.offentliggoerelsestype})")
    number, at = canonical_number(source.cvrNummer), _instant(source.offentliggoerelsesTidspunkt)
    if not hit.id:
        raise RejectedRecordError("no id")
    if number is None:
        raise RejectedRecordError("the CVR number is not eight digits")
    if at is None or source.offentliggoerelsesTidspunkt is None:
        raise RejectedRecordError("no time of publication")
    period = _period(source.regnskab)
    documents = [one for one in source.dokumenter or () if one.dokumentUrl]
    return {
        "publikation": hit.id,
        "cvr_nummer": number,
        "sagsnummer": source.sagsNummer,
        "tidspunkt": at,
        "dag": _local_day(source.offentliggoerelsesTidspunkt),
        "omgoerelse": bool(source.omgoerelse),
        "periode_start": parse_day(period.get("startDato"), is_end=False),
        "periode_slut": parse_day(period.get("slutDato"), is_end=False),
        "er_aarsrapport": any(one.dokumentType.startswith(ANNUAL) for one in documents),
        "pdf": next((one.dokumentUrl for one in documents if one.dokumentMimeType == PDF), None),
        "dokumenter": msgspec.json.encode(documents).decode(),
    }


def _instant(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text or "")
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _local_day(text: str) -> date:
    """The day in Denmark, whatever the offset that the instant is written with; without one as written."""
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo is None else found.astimezone(_LOCAL)).date()


def _period(reported: Any) -> dict[str, str | None]:
    period = reported.get("regnskabsperiode") if isinstance(reported, dict) else None
    stated = period if isinstance(period, dict) else {}
    return {name: day for name, day in stated.items() if isinstance(day, str)}


DATASET: Final = Dataset(
    key=KEY,
    title="Erhvervsstyrelsen: publications of annual reports",
    licence=LICENCE,
    cadence=Cadence(cron="35 * * * *", stale_after_hours=72),  # minutes to hours after filing; few at weekends
    guard_limits=GuardLimits(max_rejected=0.05),
    host=HOST,
    staged_tables={PUBLICATIONS.name: PUBLICATIONS},
    file_patterns=("offentliggoerelser/**",),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch,
)
