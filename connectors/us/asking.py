"""Fetches filings one at a time; failures are retried by the next run, progress is kept in the cursor.

A cursor never covers more than was handed over before it, so an interrupted run can be resumed. Does not belong
here: which filings are named (`named`), which document is fetched, or what a refusal means (`access`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

from connectors.declare import Arrival, Cursor
from connectors.kit.errors import FetchError
from connectors.us.access import Blocked
from connectors.us.named import Filing, Memory

PATIENCE: Final = 5  # failures in a row after which the source counts as unavailable

T = TypeVar("T")


def each(
    due: Iterable[T],
    answer: Callable[[T], Iterable[Arrival]],
    asked: Callable[[T], None],
    cursor: Callable[[], Cursor],
    every: int,
) -> Iterator[Arrival]:
    """Yields the arrivals of each pending item; one that fails yields none and is retried by the next run.

    A block ends the run, and so do several failures in a row. The first failure is raised once everything else
    has been handed over.

    Args:
        due: items to fetch.
        answer: fetches one item; no arrival where there is nothing.
        asked: callback that records an item as fetched.
        cursor: the current progress.
        every: number of items after which the cursor is handed over.
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
    """Filings not fetched yet; of several parties, the first one named."""
    seen: set[str] = set()
    for subject in subjects:
        filing = Filing.of(subject)
        if filing is not None and filing.accession not in seen and not memory.knows(filing.accession):
            seen.add(filing.accession)
            yield filing


def new_filers(memory: Memory, subjects: Iterable[str]) -> dict[str, list[str]]:
    """Filers with filings not fetched yet, and the accession numbers of those filings."""
    due: dict[str, list[str]] = {}
    for subject in subjects:
        filing = Filing.of(subject)
        if filing is not None and not memory.knows(filing.accession):
            due.setdefault(filing.cik, []).append(filing.accession)
    return due
