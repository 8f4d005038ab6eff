"""Asking about one after the other of what the feeds name: what fails waits, and what was asked is remembered.

A cursor never tells of more than was handed over before it, so a run that breaks off anywhere is gone on with.
Does not belong here: which filings are named (`named`), what is asked for, or what a refusal means (`access`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

from connectors.declare import Arrival, Cursor
from connectors.kit.errors import FetchError
from connectors.us.access import Blocked
from connectors.us.named import Filing, Memory

PATIENCE: Final = 5  # failures one after the other: then the source is not well

T = TypeVar("T")


def each(
    due: Iterable[T],
    answer: Callable[[T], Iterable[Arrival]],
    asked: Callable[[T], None],
    cursor: Callable[[], Cursor],
    every: int,
) -> Iterator[Arrival]:
    """The arrivals of all that is due; of one that fails none, and it is asked for again with the next run.

    A block ends the asking, and so do several failures one after the other. The first failure is told when all
    else has been handed over.

    Args:
        due: what is to be asked about.
        answer: asks about one; no arrival where there is nothing.
        asked: remembers one that was answered.
        cursor: all that is remembered by now.
        every: answers after which it is handed over.
    """
    held: Arrival | None = None
    broken: list[FetchError] = []
    for count, arrivals in enumerate(_answered(due, answer, asked, broken), 1):
        for arrival in arrivals:
            if held is not None:
                yield held
            held = arrival
        if held is not None and count % every == 0:
            held = replace(held, cursor=cursor())
    if held is not None:
        yield replace(held, cursor=cursor())
    if broken:
        raise broken[0]


def _answered(
    due: Iterable[T],
    answer: Callable[[T], Iterable[Arrival]],
    asked: Callable[[T], None],
    broken: list[FetchError],
) -> Iterator[list[Arrival]]:
    failures = 0
    for one in due:
        try:
            arrivals = list(answer(one))
        except FetchError as error:
            broken.append(error)
            failures += 1
            if failures == PATIENCE or isinstance(error, Blocked):
                return
            continue
        failures = 0
        asked(one)
        yield arrivals


def new_filings(memory: Memory, subjects: Iterable[str]) -> Iterator[Filing]:
    """Filings that were not asked about yet; of several parties the first that is named."""
    seen: set[str] = set()
    for subject in subjects:
        filing = Filing.of(subject)
        if filing is not None and filing.accession not in seen and not memory.knows(filing.accession):
            seen.add(filing.accession)
            yield filing


def new_filers(memory: Memory, subjects: Iterable[str]) -> dict[str, list[str]]:
    """Filers with filings that were not asked about yet, and the accession numbers of those."""
    due: dict[str, list[str]] = {}
    for subject in subjects:
        filing = Filing.of(subject)
        if filing is not None and not memory.knows(filing.accession):
            due.setdefault(filing.cik, []).append(filing.accession)
    return due
