"""Requests the entities, sub-units and roles that the change feeds of Enhetsregisteret name, one at a time.

Belongs here: which subjects are requested and in which order, what a response's status means, and the progress kept
by an interrupted run. Does not belong here: rate limits and retries (`connectors.kit.http.client`), or reading
responses (`dataset`, `underenheter.dataset`, `roller.dataset`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import FetchError, SourceUnavailableError
from connectors.no.oppdateringer.pending import BULK, FeedEntry, LookedUpEntries

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

EACH: Final = 500  # responses after which progress is saved in the cursor
MALFORMED: Final = 400
NONE: Final = 404
GONE: Final = 410
OK: Final = 200
_PATIENCE: Final = 20  # failures in a row that mean a failing registry, not bad numbers
_SILENCE: Final = 2  # timeouts in a row, each after all retries: one alone may concern that number only


@dataclass(frozen=True, slots=True)
class LookupApi:
    """How one kind of subject is requested.

    url: builds the URL of a number. accept: pinned media type. keeps: suffix of the archived response's name, given
    its status and whether the feed calls the number removed; None: nothing to archive.
    """

    url: Callable[[str], str]
    accept: str
    archived_suffix: Callable[[int, bool], str | None]

    def request_subject(self, http: HttpClient, number: str) -> FetchedResponse:
        return http.get(
            self.url(number), expect={BodyFormat.JSON}, headers={"Accept": self.accept}, allow=(MALFORMED, NONE, GONE)
        )


@dataclass(slots=True)
class _PendingNumber:
    """One number to request, and the feed entries that the response covers."""

    entries: list[FeedEntry] = field(default_factory=list)

    @property
    def is_removed(self) -> bool:
        return any(entry.is_removal for entry in self.entries)


def fetch_responses(
    http: HttpClient, query: LookupApi, cursor: Cursor | None, subjects: Iterable[str]
) -> Iterator[FetchedFile]:
    """Yields responses for all numbers that feed entries name and that were not requested yet.

    After a bulk file, recently named numbers are requested again: the bulk is from the night before. A failing
    number does not block the others: it stays in the backlog, and the next run requests it last. If the register
    stops responding, what has arrived is yielded before the error is raised, and the rest stays in the backlog.
    """
    asking = _LookupRun(http, query, LookedUpEntries.of(cursor))
    held: FetchedFile | None = None
    for number, due in _pending_numbers(asking.memory, subjects).items():
        arrival = asking.about(number, due)
        if arrival is not None:
            if held is not None:
                yield held
            held = arrival
        if asking.is_over:
            break
    if held is not None:
        yield replace(held, cursor=asking.memory.cursor())
    if asking.broken is not None:
        raise asking.broken


class _LookupRun:
    """The requests of one run. `broken`: why there is a backlog; `is_over`: the register has stopped responding."""

    def __init__(self, http: HttpClient, question: LookupApi, memory: LookedUpEntries) -> None:
        self._http, self._question, self.memory = http, question, memory
        self._asked = self._failures = self._silences = 0
        self.broken: FetchError | None = None
        self.is_over = False

    def about(self, number: str, due: _PendingNumber) -> FetchedFile | None:
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
        self.memory.answered(number)
        for entry in due.entries:
            self.memory.add(entry)
        ending = self._question.archived_suffix(answer.status, due.is_removed)
        if ending is None:
            return None
        remembered = self.memory.cursor() if self._asked % EACH == 0 else None
        stamped = f"{number}-{answer.server_time:%Y%m%dT%H%M%S}{ending}"
        return replace(answer.to_fetched_file(stamped, Scope.PART), cursor=remembered)

    def _record_failure(self, number: str, error: FetchError) -> None:
        """Blames a failure (a page, a text, a status 500) on the number until too many occur in a row."""
        self.broken = self.broken or error
        self.memory.failed(number)
        self._failures += 1
        self._silences = self._silences + 1 if isinstance(error, SourceUnavailableError) else 0
        self.is_over = self._failures == _PATIENCE or self._silences == _SILENCE


def _pending_numbers(memory: LookedUpEntries, subjects: Iterable[str]) -> dict[str, _PendingNumber]:
    """Numbers by first feed entry, then those to repeat because of a bulk file; earlier failures come last."""
    found: dict[str, _PendingNumber] = {}
    again = False
    for subject in subjects:
        if subject == BULK:
            again = True
            continue
        entry = FeedEntry.of(subject)
        if memory.has_entry(entry):
            memory.keep(entry)
        else:
            found.setdefault(entry.number, _PendingNumber()).entries.append(entry)
    for number in memory.recent if again else ():
        found.setdefault(number, _PendingNumber())
    return {number: found[number] for number in memory.failed_last(found)}
