"""Fetches filings one at a time; failures are retried by the next run, progress is kept in the cursor.

A cursor never covers more than was handed over before it, so an interrupted run can be resumed. Does not belong
here: which filings are named (`pending_filings`), which document is fetched, or what a refusal means (`sec_http`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import FetchError
from connectors.us.feeds.pending_filings import FeedFiling, FetchedFilings
from connectors.us.sec_http import BlockedError, fetch_if_exists

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

PATIENCE: Final = 5  # failures in a row after which the source counts as unavailable
EACH_FILING: Final = 50  # filings, or filers, after which the cursor is saved: an interrupted run does not start over
EACH_FILER: Final = 200

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


@dataclass(frozen=True, slots=True)
class FilingFetcher:
    """Fetches each filing once, whatever its parties. Its `fetch` is that of a dataset.

    url_of: of a filing. name_of: the file name of a filing and its URL. expect: the formats that it may have.
    """

    url_of: Callable[[FeedFiling], str]
    name_of: Callable[[FeedFiling, str], str]
    expect: frozenset[BodyFormat]

    def fetch(self, http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        """The filings not fetched yet. One that fails is retried by the next run; a missing one will not come."""
        fetched = FetchedFilings.of(cursor)

        def answer(filing: FeedFiling) -> Iterator[FetchedFile]:
            url = self.url_of(filing)
            found = fetch_if_exists(http, url, self.expect)
            if found is not None:
                yield found.to_fetched_file(self.name_of(filing, url), Scope.PART)

        def asked(filing: FeedFiling) -> None:
            fetched.add(filing.accession)

        yield from fetch_each(unfetched_filings(fetched, subjects), answer, asked, fetched.cursor, EACH_FILING)


def fetch_filers(
    subjects: Iterable[str],
    fetched: FetchedFilings,
    answer: Callable[[str], Iterable[FetchedFile]],
    cursor: Callable[[], Cursor],
) -> Iterator[FetchedFile]:
    """What `answer` fetches of each filer (its CIK) with filings not fetched yet, however many of them are new."""
    due = unfetched_filers(fetched, subjects)

    def asked(cik: str) -> None:
        fetched.add(*due[cik])

    yield from fetch_each(due, answer, asked, cursor, EACH_FILER)


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
