"""Fetches single filings named by the feeds, once each by accession number (docs/formats/us.md 4, 8).

For current reports the page `-index-headers.html` is enough: header and list of documents in a few kilobytes.
Forms 25 and 15 are fetched in full, since the document has the class of securities. Does not belong here:
reading (`headers`), or which filings are named (`named`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.formats import Format
from connectors.us.access import ask
from connectors.us.asking import each, new_filings
from connectors.us.named import CURRENT_REPORTS, DEREGISTRATIONS, REMOVALS, Filing, Memory, named
from connectors.us.register import ARCHIVES_URL

if TYPE_CHECKING:
    from connectors.kit.http import Http

FORMS: Final = CURRENT_REPORTS | {"6-K"} | REMOVALS | DEREGISTRATIONS
WHOLE: Final = REMOVALS | DEREGISTRATIONS
EACH: Final = 50  # filings after which the cursor is saved, so that an interrupted run does not start over


def wanted(staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Filings of the forms that are read here."""
    return named(staged, FORMS)


def url_of(filing: Filing) -> str:
    """URL of a filing: the CIK of any of its parties works in the path."""
    if filing.form.removesuffix("/A") in WHOLE:
        return whole_url(filing)
    return f"{_folder(filing)}-index-headers.html"


def whole_url(filing: Filing) -> str:
    """URL of a full submission with all documents."""
    return f"{_folder(filing)}.txt"


def _folder(filing: Filing) -> str:
    return f"{ARCHIVES_URL}/data/{int(filing.cik)}/{filing.accession.replace('-', '')}/{filing.accession}"


def fetch(
    http: Http,
    cursor: Cursor | None,
    subjects: Iterable[str],
    address: Callable[[Filing], str] = url_of,
) -> Iterator[Arrival]:
    """Fetches each filing once, whatever its parties. One that fails is retried by the next run."""
    memory = Memory.of(cursor)

    def answer(filing: Filing) -> Iterator[Arrival]:
        found = ask(http, address(filing), {Format.HTML, Format.TEXT, Format.XML})
        if found is not None:
            ending = address(filing).rpartition(filing.accession)[2]
            yield found.arrival(f"headers-{filing.accession}{ending}", Scope.PART)

    def asked(filing: Filing) -> None:
        memory.add(filing.accession)

    yield from each(new_filings(memory, subjects), answer, asked, memory.cursor, EACH)
