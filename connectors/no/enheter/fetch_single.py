"""Requests the entities, sub-units and roles that the change feeds of Enhetsregisteret name, one at a time.

Belongs here: which subjects are requested and in which order, what a response's status means, and the progress kept
by an interrupted run. Does not belong here: rate limits and retries (`connectors.kit.http.client`), or reading
responses (`dataset`, `underenheter.dataset`, `roller.dataset`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import FetchError, SourceUnavailableError
from connectors.kit.http.last_cursor import with_last_cursor
from connectors.kit.http.set_aside import PAUSES
from connectors.no.oppdateringer.pending import BULK, FeedEntry, LookedUpEntries

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

EACH: Final = 500  # responses after which progress is saved in the cursor
MALFORMED: Final = 400
NONE: Final = 404
GONE: Final = 410
OK: Final = 200
_PATIENCE: Final = 20  # failures in a row that mean a failing registry, not bad numbers


@dataclass(frozen=True, slots=True)
class LookupApi:
    """How one kind of subject is requested.

    url: URL with `{}` for the number. accept: pinned media type. archived_suffix: of the archived response's name, by
    its status and whether the feed calls the number removed; None: nothing to archive. repeats_removals: a 410 that the
    feed does not confirm is requested again, as one alone erases nothing.
    """

    url: str
    accept: str
    archived_suffix: Callable[[int, bool], str | None]
    repeats_removals: bool = False

    def request_subject(self, http: HttpClient, number: str) -> FetchedResponse:
        return http.get(
            self.url.format(number),
            expect={BodyFormat.JSON},
            headers={"Accept": self.accept},
            allow=(MALFORMED, NONE, GONE),
        )


def record_suffix(status: int, is_removed: bool) -> str | None:
    """Archives 410, and 404 of a number the feed calls removed: both mean removal for legal reasons."""
    if status == OK:
        return ".json"
    return "-410.json" if status == GONE or is_removed else None


def fetch_responses(
    query: LookupApi, http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]
) -> Iterator[FetchedFile]:
    """Yields responses for all numbers that feed entries name and that were not requested yet.

    After a bulk file, recently named numbers are requested again: the bulk is from the night before. So are, in every
    run, numbers whose removal is unconfirmed. A failing number does not block the others: it stays in the backlog, and
    the next run requests it last. While the register does not respond, the requests pause; after half an hour the run
    ends: what has arrived is yielded before the error is raised, and the rest stays in the backlog.
    """
    memory = LookedUpEntries.of(cursor)
    asking = _LookupRun(http, query, memory)
    yield from with_last_cursor(asking.responses(_pending_numbers(memory, subjects)), memory.cursor)
    if asking.broken is not None:
        raise asking.broken


class _LookupRun:
    """The requests of one run. `broken`: why there is a backlog."""

    def __init__(self, http: HttpClient, question: LookupApi, memory: LookedUpEntries) -> None:
        self._http, self._question, self._memory = http, question, memory
        self._asked = self._failures = self._silences = 0
        self.broken: FetchError | None = None

    def responses(self, numbers: Mapping[str, list[FeedEntry]]) -> Iterator[FetchedFile]:
        """Requests numbers, each with the feed entries it answers, until the register has stopped responding."""
        for number, entries in numbers.items():
            if self._failures == _PATIENCE or self._silences > len(PAUSES):
                return
            arrival = self._about(number, entries)
            if arrival is not None:
                yield arrival

    def _about(self, number: str, entries: list[FeedEntry]) -> FetchedFile | None:
        """Requests one number; returns the response if it is to be archived.

        Its name contains the second: bytes equal to an earlier response are still new if another source has
        delivered the subject in between.
        """
        try:
            answer = self._question.request_subject(self._http, number)
        except FetchError as error:
            self._record_failure(number, error)
            return None
        self._failures = self._silences = 0
        self._asked += 1
        self._memory.answered(number)
        for entry in entries:
            self._memory.add(entry)
        is_removal = any(entry.is_removal for entry in entries)
        self._record_removal(number, answer, is_removal)
        ending = self._question.archived_suffix(answer.status, is_removal)
        if ending is None:
            return None
        remembered = self._memory.cursor() if self._asked % EACH == 0 else None
        stamped = f"{number}-{answer.server_time:%Y%m%dT%H%M%S}{ending}"
        return replace(answer.to_fetched_file(stamped, Scope.PART), cursor=remembered)

    def _record_removal(self, number: str, answer: FetchedResponse, is_confirmed: bool) -> None:
        if answer.status == GONE and not is_confirmed and self._question.repeats_removals:
            self._memory.removal_reported(number, answer.server_time)
        elif answer.status in {OK, GONE}:
            self._memory.removal_settled(number)

    def _record_failure(self, number: str, error: FetchError) -> None:
        """Blames a failure (a page, a text, a status 500) on the number until too many occur in a row."""
        self.broken = self.broken or error
        self._memory.failed(number)
        self._failures += 1
        if not isinstance(error, SourceUnavailableError):
            self._silences = 0
            return
        self._silences += 1
        if self._silences <= len(PAUSES):  # one silence alone may concern that number only
            self._http.pause(self._question.url, PAUSES[self._silences - 1])


def _pending_numbers(memory: LookedUpEntries, subjects: Iterable[str]) -> dict[str, list[FeedEntry]]:
    """Numbers by first feed entry, then those to repeat because of a bulk file; earlier failures come last."""
    found: dict[str, list[FeedEntry]] = {}
    again = False
    for subject in subjects:
        if subject == BULK:
            again = True
            continue
        entry = FeedEntry.of(subject)
        if memory.has_entry(entry):
            memory.keep(entry)
        else:
            found.setdefault(entry.number, []).append(entry)
    for number in (*(memory.recent if again else ()), *memory.unconfirmed_removals):
        found.setdefault(number, [])
    return {number: found[number] for number in memory.failed_last(found)}
