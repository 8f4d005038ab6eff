"""Fetches facts: the nightly archive, and single responses after reports named by the feeds.

Facts follow a report within a minute; those not available yet come with the nightly archive. Does not belong
here: what a response means (`companyfacts`), or rate limits and blocks (`access`).
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
EACH: Final = 200  # filers after which the cursor is saved


def facts_url(cik: str) -> str:
    """URL of one filer's facts."""
    return f"{DATA_URL}/api/xbrl/companyfacts/CIK{cik}.json"


def bulk(http: Http, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches the nightly archive of all filers; nothing if it is unchanged."""
    since = None if cursor is None else Validators.of(cursor)
    answer = download(http, BULK_URL, {Format.ZIP}, since)
    if not isinstance(answer, NotModified):
        yield answer.arrival(BULK_NAME, Scope.PART, answer.validators.cursor())


def answers(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """One response per filer with a report not fetched yet; many filers have no facts at all."""
    memory = Memory.of(cursor)

    def answer(filer: tuple[str, list[str]]) -> Iterator[Arrival]:
        found = ask(http, facts_url(filer[0]), {Format.JSON})
        if found is not None:
            yield found.arrival(f"CIK{filer[0]}.json", Scope.PART)

    def asked(filer: tuple[str, list[str]]) -> None:
        memory.add(*filer[1])

    yield from each(new_filers(memory, subjects).items(), answer, asked, memory.cursor, EACH)
