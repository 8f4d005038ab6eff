"""Fetches submissions: the nightly archive, and single responses for filers named by the feeds.

A response holds the newest thousand filings; a filer fetched for the first time is read with its continuation
files, which may overlap: rows are identified by accession number. Does not belong here: reading a response
(`dataset`), or rate limits and blocks (`us.sec_http`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.conditional import ConditionalFile
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.us.feeds.pending_filings import FetchedFilings
from connectors.us.fetch_each import fetch_filers
from connectors.us.register import ARCHIVES_URL, DATA_URL, filer_url
from connectors.us.sec_http import fetch_existing_file, fetch_if_exists

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

BULK_URL: Final = f"{ARCHIVES_URL}/daily-index/bulkdata/submissions.zip"
BULK_NAME: Final = "submissions.zip"
# the nightly archive of all filers
fetch_bulk: Final = partial(fetch_existing_file, ConditionalFile(BULK_URL, BULK_NAME, {BodyFormat.ZIP}, Scope.PART))
_BETWEEN: Final = " "


class _FileName(msgspec.Struct):
    name: str


class _FileList(msgspec.Struct):
    files: list[_FileName] | None = None


class _FileListResponse(msgspec.Struct):
    filings: _FileList


class FetchedFilers:
    """Cursor: filings already covered, and filers with continuation files already read."""

    def __init__(self, cursor: Cursor | None) -> None:
        filings, _, filers = ("" if cursor is None else cursor.value).partition(_BETWEEN)
        self.filings = FetchedFilings.of(Cursor(filings) if filings else None)
        self.paged = FetchedFilings.of(Cursor(filers) if filers else None)

    def cursor(self) -> Cursor:
        return Cursor(self.filings.cursor().value + _BETWEEN + self.paged.cursor().value)


def fetch_responses(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """One response per filer with filings not fetched yet, however many of them are new."""
    memory = FetchedFilers(cursor)
    answer = partial(_fetch_filer, http, memory)
    yield from fetch_filers(subjects, memory.filings, answer, memory.cursor)


def _fetch_filer(http: HttpClient, asked: FetchedFilers, cik: str) -> Iterator[FetchedFile]:
    """The response for one filer and, the first time, its continuation files; nothing if it does not exist."""
    url = filer_url(cik)
    answer = fetch_if_exists(http, url, {BodyFormat.JSON})
    if answer is None:
        return
    yield answer.to_fetched_file(f"CIK{cik}.json", Scope.PART)
    if asked.paged.has_filing(cik):
        return
    for name in _continuation_names(answer, url):
        page = fetch_if_exists(http, f"{DATA_URL}/submissions/{name}", {BodyFormat.JSON})
        if page is not None:
            yield page.to_fetched_file(name, Scope.PART)
    asked.paged.add(cik)


def _continuation_names(answer: FetchedResponse, url: str) -> list[str]:
    try:
        files = msgspec.json.decode(answer.read(), type=_FileListResponse).filings.files or []
    except msgspec.MsgspecError as error:
        raise UnexpectedBodyError(url, answer.status, f"no submissions of a filer: {error}") from None
    finally:
        answer.body.seek(0)
    # a name becomes part of a URL: only names of the documented form are requested
    return [file.name for file in files if file.name.replace("-", "").replace(".", "").isalnum()]
