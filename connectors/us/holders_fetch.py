"""Asking for ownership filings that the feeds name: each whole, header and documents in one body (FORMAT us 4).

Does not belong here: rates and refusals (`access`), or which filings are named (`named`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.errors import FetchError
from connectors.kit.formats import Format
from connectors.us import named
from connectors.us.access import Blocked, ask
from connectors.us.named import Filing, Memory
from connectors.us.register import ARCHIVES_URL

if TYPE_CHECKING:
    from connectors.kit.http import Fetched, Http

_KINDS: Final = frozenset({Format.XML, Format.TEXT})
PATIENCE: Final = 5  # failures one after the other: then the source is not well
EACH: Final = 50  # filings between two cursors that are kept


def wanted(
    forms: Collection[str], roles: tuple[str, ...]
) -> Callable[[Mapping[str, pl.DataFrame]], Iterator[str]]:
    """The `wants` of a dataset: filings of its forms that the feeds just named."""
    return partial(named.named, forms=forms, parties=roles)


def filings(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Each filing once, whoever is a party of it. One that fails is asked for again with the next run."""
    memory = Memory.of(cursor)
    broken: list[FetchError] = []
    held: Arrival | None = None
    for place, (name, answer) in enumerate(_answers(http, memory, subjects, broken), start=1):
        if held is not None:
            yield held
        kept = memory.cursor() if place % EACH == 0 else None
        held = replace(answer.arrival(name, Scope.PART), cursor=kept)
    if held is not None:
        yield replace(held, cursor=memory.cursor())
    if broken:
        raise broken[0]


def _answers(
    http: Http, memory: Memory, subjects: Iterable[str], broken: list[FetchError]
) -> Iterator[tuple[str, Fetched]]:
    """Names of files and answers; what failed is told when all others have been asked for."""
    failures = 0
    for filing in _due(memory, subjects):
        try:
            answer = ask(http, f"{ARCHIVES_URL}/data/{int(filing.cik)}/{filing.accession}.txt", _KINDS)
        except FetchError as error:
            broken.append(error)
            failures += 1
            if failures == PATIENCE or isinstance(error, Blocked):
                return
            continue
        failures = 0
        memory.add(filing.accession)  # one that is gone too: nobody brings it back
        if answer is not None:
            yield f"{filing.accession}.txt", answer


def _due(memory: Memory, subjects: Iterable[str]) -> Iterator[Filing]:
    """Filings that were not asked for yet; of several parties the first that is named."""
    seen: set[str] = set()
    for subject in subjects:
        filing = Filing.of(subject)
        if filing is None or memory.knows(filing.accession) or filing.accession in seen:
            continue
        seen.add(filing.accession)
        yield filing
