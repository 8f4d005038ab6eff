"""Fetches the machine-readable documents of annual reports that the index of publications names, one at a time.

A document that does not come stops no other; it is asked for again by later runs, at most TRIES of them. Belongs here:
which documents are asked for, their names in the archive, and the cursor. Does not belong here: reading them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlsplit

import msgspec
import polars as pl

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.dk.offentliggoerelser.dataset import ANNUAL, PublishedDocument
from connectors.dk.offentliggoerelser.schema import PUBLICATIONS
from connectors.dk.register import DOCUMENT_HOST
from connectors.kit.cursors import pack_cursor, unpack_cursor
from connectors.kit.formats import BodyFormat
from connectors.kit.http.last_cursor import with_last_cursor
from connectors.kit.http.set_aside import SetAside
from connectors.kit.xbrl.facts import parse_day

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

SUFFIXES: Final = {"application/xml": ".xml", "application/xhtml+xml": ".xhtml", "text/html": ".html"}
BUDGET: Final = 3_600  # documents of one run: a quarter of an hour, in which the market's other datasets wait
EACH: Final = 200  # documents after which the cursor is saved
TRIES: Final = 7  # runs in which a document is asked for
_OVERLAP: Final = timedelta(days=3)  # publications this old are not named again
_URL: Final = f"http://{DOCUMENT_HOST}/"
_BODIES: Final = {BodyFormat.XML, BodyFormat.HTML, BodyFormat.GZIP}
_SEPARATOR: Final = "~"
_DOCUMENTS: Final = msgspec.json.Decoder(list[PublishedDocument])


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A document to fetch: day and id of its publication, its place there, and its address."""

    day: str
    publication: str
    place: int
    suffix: str
    url: str

    @property
    def file_name(self) -> str:
        """Its name in the archive, from which `parse_file_name` reads publication and place."""
        return f"{quote(self.publication, safe='')}{_SEPARATOR}{self.place}{self.suffix}"

    def to_subject(self) -> str:
        """The document as a subject."""
        return msgspec.json.encode([self.day, self.publication, self.place, self.suffix, self.url]).decode()

    @classmethod
    def of(cls, subject: str) -> NamedDocument:
        """The document of a subject."""
        return cls(*msgspec.json.decode(subject, type=tuple[str, str, int, str, str]))


def parse_file_name(name: str) -> tuple[str | None, int | None]:
    """Publication and place of a document by its name; None for both for other names."""
    publication, mark, rest = name.rpartition("/")[2].rpartition(_SEPARATOR)
    place = rest.partition(".")[0]
    return (unquote(publication), int(place)) if mark and place.isdecimal() and place.isascii() else (None, None)


def subjects_to_fetch(staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yields the documents of newly listed annual reports that a program can read, newest publication first."""
    rows = staged.get(PUBLICATIONS.name)
    if rows is None:
        return
    for day, publication, documents in (
        rows.filter("er_aarsrapport")
        .sort("tidspunkt", "publikation", descending=[True, False])
        .select(pl.col("dag").dt.to_string(), "publikation", "dokumenter")
        .iter_rows()
    ):
        for place, document in enumerate(_DOCUMENTS.decode(documents)):
            suffix = SUFFIXES.get(document.dokumentMimeType.partition(";")[0].strip().lower())
            if suffix and document.dokumentType.startswith(ANNUAL) and _is_at_register(document.dokumentUrl):
                yield NamedDocument(day, publication, place, suffix, document.dokumentUrl).to_subject()


def _is_at_register(url: str) -> bool:
    """True for an address of the register's own documents: others are not followed."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.hostname == DOCUMENT_HOST


class DocumentProgress:
    """Documents that were fetched lately, and those that failed with the runs that tried them."""

    def __init__(self, fetched: dict[str, str] | None = None, owed: dict[str, int] | None = None) -> None:
        self.fetched = fetched or {}  # file name -> day of publication
        self.owed = owed or {}  # subject -> runs

    @classmethod
    def of(cls, cursor: Cursor | None) -> DocumentProgress:
        """Decodes a cursor; an unreadable one counts as empty."""
        return unpack_cursor(cursor, cls._unpacked) or cls()

    @classmethod
    def _unpacked(cls, packed: dict[str, Any]) -> DocumentProgress:
        return cls(dict(packed["fetched"]), {str(one): int(runs) for one, runs in packed["owed"].items()})

    def cursor(self) -> Cursor:
        """The cursor of what is remembered."""
        return pack_cursor({"fetched": self.fetched, "owed": self.owed})

    def add(self, document: NamedDocument) -> None:
        """Records that a document was fetched."""
        self.fetched[document.file_name] = document.day
        self.owed.pop(document.to_subject(), None)

    def fail(self, document: NamedDocument) -> None:
        """Counts a run that asked in vain; after TRIES of them the document is given up."""
        subject = document.to_subject()
        self.owed[subject] = self.owed.get(subject, 0) + 1
        if self.owed[subject] >= TRIES:
            self.add(document)

    def forget_old(self) -> None:
        """Forgets what no later answer of the index names again."""
        newest = parse_day(max(self.fetched.values(), default=""), is_end=False)
        if newest is not None:
            first = (newest - _OVERLAP).isoformat()
            self.fetched = {name: day for name, day in self.fetched.items() if day >= first}


def fetch(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Documents that publications name and that were not fetched yet; at most BUDGET in a run."""
    progress = DocumentProgress.of(cursor)
    wanted = (NamedDocument.of(subject) for subject in dict.fromkeys((*subjects, *progress.owed)))
    pending = [document for document in wanted if document.file_name not in progress.fetched]
    aside: SetAside[NamedDocument] = SetAside(http, _URL)
    yield from with_last_cursor(_documents(http, progress, pending, aside), progress.cursor)
    if aside.broken is not None:
        raise aside.broken


def _documents(
    http: HttpClient, progress: DocumentProgress, pending: list[NamedDocument], aside: SetAside[NamedDocument]
) -> Iterator[FetchedFile]:
    remaining = len(pending)
    for place, (document, answer) in enumerate(aside.answers(pending, partial(_request, http)), start=1):
        progress.add(document)
        remaining -= 1
        has_more = place == BUDGET and remaining > 0
        if not remaining:
            progress.forget_old()
        yield replace(
            answer.to_fetched_file(document.file_name, Scope.PART),
            cursor=progress.cursor() if place % EACH == 0 else None,
            has_more=has_more,
            remaining=(remaining, "documents") if has_more else None,
        )
        if has_more:
            return
    for document in aside.failed:
        progress.fail(document)


def _request(http: HttpClient, document: NamedDocument) -> FetchedResponse:
    return http.get(document.url, expect=_BODIES)
