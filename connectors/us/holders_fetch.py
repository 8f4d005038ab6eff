"""Fetches ownership filings named by the feeds as full submissions, header and documents in one body.

See docs/formats/us.md 4.

Does not belong here: rate limits and refusals (`access`), or which filings are named (`named`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.formats import Format
from connectors.us import named
from connectors.us.access import ask
from connectors.us.asking import each, new_filings
from connectors.us.named import Filing, Memory
from connectors.us.register import ARCHIVES_URL

if TYPE_CHECKING:
    from connectors.kit.http import Http

_KINDS: Final = frozenset({Format.XML, Format.TEXT})
EACH: Final = 50  # filings after which the cursor is saved


def wanted(
    forms: Collection[str], roles: tuple[str, ...]
) -> Callable[[Mapping[str, pl.DataFrame]], Iterator[str]]:
    """The `wants` of a dataset: filings of its forms recently named by the feeds."""
    return partial(named.named, forms=forms, parties=roles)


def filings(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches each filing once, whatever its parties. One that fails is retried by the next run."""
    memory = Memory.of(cursor)

    def answer(filing: Filing) -> Iterator[Arrival]:
        found = ask(http, f"{ARCHIVES_URL}/data/{int(filing.cik)}/{filing.accession}.txt", _KINDS)
        if found is not None:
            yield found.arrival(f"{filing.accession}.txt", Scope.PART)

    def asked(filing: Filing) -> None:
        memory.add(filing.accession)  # a missing filing counts as fetched: it will not come back

    yield from each(new_filings(memory, subjects), answer, asked, memory.cursor, EACH)
