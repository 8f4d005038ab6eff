"""Look-ups one by one, of which one that fails does not stop the others: it is set aside and tried again at the end.

Belongs here: the order of the requests, and when a source that keeps failing ends the run. Does not belong here: the
retries of one request (`client`), what a response means, or what later runs know of failures (a dataset's cursor).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from connectors.kit.http.errors import FetchError, SourceUnavailableError

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

Item = TypeVar("Item")
Answer = TypeVar("Answer")
# Seconds of the pause after each failure in a row, where the source is unavailable: one alone concerns that item, half
# an hour of them is an outage. As many refusals or pages in a row end the run without a pause.
PAUSES: Final = (0, 15, 30, 60, 120, 180, 240, 300, 300, 300, 300)


class SetAside(Generic[Item]):
    """The look-ups of one run.

    failed: items without an answer in both rounds. broken: why there are any. is_outage: the source has stopped
    answering, or refuses everything, and items were left unrequested.
    """

    def __init__(self, http: HttpClient, url: str) -> None:
        self._http = http
        self._url = url
        self._in_a_row = 0
        self.failed: list[Item] = []
        self.broken: FetchError | None = None

    @property
    def is_outage(self) -> bool:
        return self._in_a_row > len(PAUSES)

    def answers(self, items: Iterable[Item], request: Callable[[Item], Answer]) -> Iterator[tuple[Item, Answer]]:
        """Each item with its answer: first all of them, then again those that failed, until there is an outage."""
        aside: list[Item] = []
        yield from self._round(items, request, aside)
        yield from self._round(list(aside), request, self.failed)

    def _round(
        self, items: Iterable[Item], request: Callable[[Item], Answer], failed: list[Item]
    ) -> Iterator[tuple[Item, Answer]]:
        for item in items:
            if self.is_outage:
                return
            try:
                answer = request(item)
            except FetchError as error:
                failed.append(item)
                self._record(error, is_final=failed is self.failed)
                continue
            self._in_a_row = 0
            yield item, answer

    def _record(self, error: FetchError, *, is_final: bool) -> None:
        self._in_a_row += 1
        is_unavailable = isinstance(error, SourceUnavailableError)
        if is_unavailable and not self.is_outage and (seconds := PAUSES[self._in_a_row - 1]):
            self._http.pause(self._url, seconds)
        if is_final or self.is_outage:
            self.broken = self.broken or error
