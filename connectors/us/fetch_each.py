"""Fetches filings one at a time; failures are retried by the next run, progress is kept in the cursor.

A cursor never covers more than was handed over before it, so an interrupted run can be resumed. Does not belong
here: which filings are named (`pending_filings`), which document is fetched, or what a refusal means (`sec_http`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.kit.http.errors import FetchError
from connectors.us.feeds.pending_filings import FeedFiling, FetchedFilings
from connectors.us.sec_http import BlockedError

PATIENCE: Final = 5  # failures in a row after which the source counts as unavailable

T = TypeVar("T")


def fetch_each(
    pending: Iterable[T],
    fetch_files: Callable[[T], Iterable[FetchedFile]],
    mark_requested: Callable[[T], None],
    cursor: Callable[[], Cursor],
    every: int,
) -> Iterator[FetchedFile]:
    """Yields the arrivals of each pending item; one that fails yields none and is retried by the next run.

    A block ends the run, and so do several failures in a row. The first failure is raised once everything else
    has been handed over.

    Args:
        pending: items to fetch.
        fetch_files: fetches one item; no arrival where there is nothing.
        mark_requested: callback that records an item as fetched.
        cursor: the current progress.
        every: number of items after which the cursor is handed over.
    """
    held: FetchedFile | None = None
    broken: list[FetchError] = []
    for count, arrivals in enumerate(_successful_files(pending, fetch_files, mark_requested, broken), 1):
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


def _successful_files(
    due: Iterable[T], answer: Callable[[T], Iterable[FetchedFile]], asked: Callable[[T], None], broken: list[FetchError]
) -> Iterator[list[FetchedFile]]:
    failures = 0
    for one in due:
        try:
            arrivals = list(answer(one))
        except FetchError as error:
            broken.append(error)
            failures += 1
            if failures == PATIENCE or isinstance(error, BlockedError):
                return
            continue
        failures = 0
        asked(one)
        yield arrivals


def unfetched_filings(fetched: FetchedFilings, subjects: Iterable[str]) -> Iterator[FeedFiling]:
    """Filings not fetched yet; of several parties, the first one named."""
    seen: set[str] = set()
    for subject in subjects:
        filing = FeedFiling.of(subject)
        if filing is not None and filing.accession not in seen and not fetched.has_filing(filing.accession):
            seen.add(filing.accession)
            yield filing


def unfetched_filers(fetched: FetchedFilings, subjects: Iterable[str]) -> dict[str, list[str]]:
    """Filers with filings not fetched yet, and the accession numbers of those filings."""
    due: dict[str, list[str]] = {}
    for subject in subjects:
        filing = FeedFiling.of(subject)
        if filing is not None and not fetched.has_filing(filing.accession):
            due.setdefault(filing.cik, []).append(filing.accession)
    return due
