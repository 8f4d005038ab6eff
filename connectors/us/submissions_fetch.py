"""Fetches submissions: the nightly archive, and single responses for filers named by the feeds.

A response holds the newest thousand filings; a filer fetched for the first time is read with its continuation
files, which may overlap: rows are identified by accession number. Does not belong here: reading a response
(`submissions`), or rate limits and blocks (`access`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import msgspec

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.bodies import NotModified, Validators
from connectors.kit.errors import WrongBody
from connectors.kit.formats import Format
from connectors.us.access import ask, download
from connectors.us.asking import each, new_filers
from connectors.us.named import Memory
from connectors.us.register import ARCHIVES_URL, DATA_URL, filer_url

if TYPE_CHECKING:
    from connectors.kit.http import Fetched, Http

BULK_URL: Final = f"{ARCHIVES_URL}/daily-index/bulkdata/submissions.zip"
BULK_NAME: Final = "submissions.zip"
EACH: Final = 200  # filers after which the cursor is saved, so that an interrupted run does not start over
_BETWEEN: Final = " "


class _File(msgspec.Struct):
    name: str


class _Filings(msgspec.Struct):
    files: list[_File] | None = None


class _Answer(msgspec.Struct):
    filings: _Filings


def bulk(http: Http, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches the nightly archive of all filers; nothing if it is unchanged."""
    since = None if cursor is None else Validators.of(cursor)
    answer = download(http, BULK_URL, {Format.ZIP}, since)
    if not isinstance(answer, NotModified):
        yield answer.arrival(BULK_NAME, Scope.PART, answer.validators.cursor())


class Asked:
    """Cursor: filings already covered, and filers with continuation files already read."""

    def __init__(self, cursor: Cursor | None) -> None:
        filings, _, filers = ("" if cursor is None else cursor.value).partition(_BETWEEN)
        self.filings = Memory.of(Cursor(filings) if filings else None)
        self.paged = Memory.of(Cursor(filers) if filers else None)

    def cursor(self) -> Cursor:
        return Cursor(self.filings.cursor().value + _BETWEEN + self.paged.cursor().value)


def answers(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """One response per filer with filings not fetched yet, however many of them are new."""
    memory = Asked(cursor)

    def answer(filer: tuple[str, list[str]]) -> Iterator[Arrival]:
        return _filer(http, filer[0], memory)

    def asked(filer: tuple[str, list[str]]) -> None:
        memory.filings.add(*filer[1])

    yield from each(new_filers(memory.filings, subjects).items(), answer, asked, memory.cursor, EACH)


def _filer(http: Http, cik: str, asked: Asked) -> Iterator[Arrival]:
    """The response for one filer and, the first time, its continuation files; nothing if it does not exist."""
    url = filer_url(cik)
    answer = ask(http, url, {Format.JSON})
    if answer is None:
        return
    yield answer.arrival(f"CIK{cik}.json", Scope.PART)
    if asked.paged.knows(cik):
        return
    for name in _pages(answer, url):
        page = ask(http, f"{DATA_URL}/submissions/{name}", {Format.JSON})
        if page is not None:
            yield page.arrival(name, Scope.PART)
    asked.paged.add(cik)


def _pages(answer: Fetched, url: str) -> list[str]:
    try:
        files = msgspec.json.decode(answer.read(), type=_Answer).filings.files or []
    except msgspec.MsgspecError as error:
        raise WrongBody(url, answer.status, f"no submissions of a filer: {error}") from None
    finally:
        answer.body.seek(0)
    # a name becomes part of a URL: only names of the documented form are requested
    return [file.name for file in files if file.name.replace("-", "").replace(".", "").isalnum()]
