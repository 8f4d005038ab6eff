"""Asking Enhetsregisteret about what its feeds name, one by one: entities, sub-units and roles.

Belongs here: whom, in which order, what an answer's status means, and what is remembered of a run that breaks
off. Does not belong here: pace and retries (`connectors.kit.http`), or reading answers (`enheter`,
`underenheter`, `roller`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.errors import FetchError, Unavailable
from connectors.kit.formats import Format
from connectors.no.named import BULK, Entry, Memory

if TYPE_CHECKING:
    from connectors.kit.http import Fetched, Http

EACH: Final = 500  # answers after which it is remembered who was asked
MALFORMED: Final = 400
NONE: Final = 404
GONE: Final = 410
OK: Final = 200
_PATIENCE: Final = 20  # failures in a row that are the registry's trouble, not the numbers'
_SILENCE: Final = 2  # in a row, each after all attempts: one number's long silence may be its own


@dataclass(frozen=True, slots=True)
class Question:
    """What one kind of subject is asked.

    url: of a number. accept: pinned media type. keeps: how the name ends below which an answer is archived, given
    its status and whether the feed calls the number removed; None: there is nothing to keep.
    """

    url: Callable[[str], str]
    accept: str
    keeps: Callable[[int, bool], str | None]

    def ask(self, http: Http, number: str) -> Fetched:
        return http.get(
            self.url(number),
            expect={Format.JSON},
            headers={"Accept": self.accept},
            allow=(MALFORMED, NONE, GONE),
        )


@dataclass(slots=True)
class _Due:
    """One number to be asked about, and the entries that this answers."""

    entries: list[Entry] = field(default_factory=list)

    @property
    def is_removed(self) -> bool:
        return any(entry.is_removal for entry in self.entries)


def answers(
    http: Http, question: Question, cursor: Cursor | None, subjects: Iterable[str]
) -> Iterator[Arrival]:
    """Answers about all numbers that entries name and were not asked about.

    Where a bulk has come, numbers named of late are asked again: the bulk is of the night before. A number that
    fails keeps no other from being asked: it stays owed, and the next run asks it after all others. Where the
    register stops answering, what has arrived is handed over before that is told, and who has not been asked is
    owed.
    """
    asking = _Asking(http, question, Memory.of(cursor))
    held: Arrival | None = None
    for number, due in _due(asking.memory, subjects).items():
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


class _Asking:
    """One run's questions. `broken`: why somebody is owed; `is_over`: that the register has stopped answering."""

    def __init__(self, http: Http, question: Question, memory: Memory) -> None:
        self._http, self._question, self.memory = http, question, memory
        self._asked = self._failures = self._silences = 0
        self.broken: FetchError | None = None
        self.is_over = False

    def about(self, number: str, due: _Due) -> Arrival | None:
        """The answer about one number, where there is one to keep.

        Its name holds the second: the same bytes as some answer of before are news where another source has
        spoken in between.
        """
        try:
            answer = self._question.ask(self._http, number)
        except FetchError as error:
            self._note(number, error)
            return None
        self._failures = self._silences = 0
        self._asked += 1
        self.memory.answered(number)
        for entry in due.entries:
            self.memory.add(entry)
        ending = self._question.keeps(answer.status, due.is_removed)
        if ending is None:
            return None
        remembered = self.memory.cursor() if self._asked % EACH == 0 else None
        stamped = f"{number}-{answer.server_time:%Y%m%dT%H%M%S}{ending}"
        return replace(answer.arrival(stamped, Scope.PART), cursor=remembered)

    def _note(self, number: str, error: FetchError) -> None:
        """A failure is the number's own (a page, a text, a status 500), until too many follow each other."""
        self.broken = self.broken or error
        self.memory.failed(number)
        self._failures += 1
        self._silences = self._silences + 1 if isinstance(error, Unavailable) else 0
        self.is_over = self._failures == _PATIENCE or self._silences == _SILENCE


def _due(memory: Memory, subjects: Iterable[str]) -> dict[str, _Due]:
    """Numbers in the order of their first entry, then those that a bulk makes due again; what failed comes last."""
    found: dict[str, _Due] = {}
    again = False
    for subject in subjects:
        if subject == BULK:
            again = True
            continue
        entry = Entry.of(subject)
        if memory.knows(entry):
            memory.keep(entry)
        else:
            found.setdefault(entry.number, _Due()).entries.append(entry)
    for number in memory.recent if again else ():
        found.setdefault(number, _Due())
    return {number: found[number] for number in memory.failed_last(found)}
