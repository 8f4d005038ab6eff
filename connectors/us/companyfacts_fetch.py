"""Fetching facts: the nightly archive, and single answers after reports that the feeds name.

Facts follow a report within a minute; what was not there yet comes with the archive of the night. Does not belong
here: what an answer means (`companyfacts`), or limits and blocks (`access`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.bodies import NotModified, Validators
from connectors.kit.formats import Format
from connectors.us.access import ask, download
from connectors.us.asking import each, new_filers
from connectors.us.named import Memory
from connectors.us.register import ARCHIVES_URL, DATA_URL

if TYPE_CHECKING:
    from connectors.kit.http import Http

BULK_URL: Final = f"{ARCHIVES_URL}/daily-index/xbrl/companyfacts.zip"
BULK_NAME: Final = "companyfacts.zip"
EACH: Final = 200  # filers after which what was asked is remembered


def facts_url(cik: str) -> str:
    """Where one filer's facts are asked for."""
    return f"{DATA_URL}/api/xbrl/companyfacts/CIK{cik}.json"


def bulk(http: Http, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
    """All filers, once a night; nothing where the archive is still the one of the last time."""
    since = None if cursor is None else Validators.of(cursor)
    answer = download(http, BULK_URL, {Format.ZIP}, since)
    if not isinstance(answer, NotModified):
        yield answer.arrival(BULK_NAME, Scope.PART, answer.validators.cursor())


def answers(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """One answer for each filer with a report that was not asked about yet; many filers have no facts at all."""
    memory = Memory.of(cursor)

    def answer(filer: tuple[str, list[str]]) -> Iterator[Arrival]:
        found = ask(http, facts_url(filer[0]), {Format.JSON})
        if found is not None:
            yield found.arrival(f"CIK{filer[0]}.json", Scope.PART)

    def asked(filer: tuple[str, list[str]]) -> None:
        memory.add(*filer[1])

    yield from each(new_filers(memory, subjects).items(), answer, asked, memory.cursor, EACH)
