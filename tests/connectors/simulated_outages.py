"""A source that fails a share of its requests, on a simulated clock: what a load of it takes, in runs, requests and time.

Used by the tests of fetching that goes item by item. Nothing waits: seconds pass by the client's own waits alone.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from connectors.contract.pieces import Cursor, FetchedFile
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.errors import FetchError
from connectors.kit.http.transport import HttpRequest, HttpTransport

BURST_SECONDS = 60.0
MOST_RUNS = 30
CASES = [(kind, share) for kind in ("random", "bursty") for share in (0.1, 0.3, 0.5)]
_BEGAN = datetime(2026, 11, 3, 6, tzinfo=UTC)
IsDown = Callable[[float], bool]
Fetch = Callable[[HttpClient, Cursor | None, Iterable[str]], Iterator[FetchedFile]]


@dataclass
class SimulatedTime:
    """Seconds that pass by waiting alone."""

    seconds: float = 0.0
    dice: random.Random = field(default_factory=lambda: random.Random(1))

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def clock(self) -> FetchClock:
        return FetchClock(
            now=lambda: _BEGAN + timedelta(seconds=self.seconds),
            monotonic=lambda: self.seconds,
            sleep=self.sleep,
            random_fraction=self.dice.random,
        )


def outages(kind: str, share: float) -> IsDown:
    """Random: each request fails with the same chance. Bursty: the source is down for a minute or so at a time."""
    return _random_outages(share) if kind == "random" else _bursty_outages(share)


def _random_outages(share: float) -> IsDown:
    drawn = random.Random(2)
    return lambda _: drawn.random() < share


def _bursty_outages(share: float) -> IsDown:
    """Bursts and the time between them are drawn, so that the share of time is right."""
    drawn = random.Random(3)
    until, is_down = 0.0, True

    def ask(seconds: float) -> bool:
        nonlocal until, is_down
        while seconds >= until:
            is_down = not is_down
            mean = BURST_SECONDS if is_down else BURST_SECONDS * (1 - share) / share
            until += drawn.expovariate(1 / mean)
        return is_down

    return ask


@dataclass(frozen=True)
class Source:
    """One kind of fetching: its host and rate, the items of a load, and what the source answers.

    subjects: what a run is given while some items are held. item_of: the item that a file is of; None for a list.
    """

    host: str
    rate: float
    fetch: Fetch
    items: frozenset[str]
    subjects: Callable[[frozenset[str]], list[str]]
    respond: Callable[[str], tuple[str, bytes]]
    item_of: Callable[[str], str | None]
    credentials: dict[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Load:
    """What a load took. seconds: at the source's rate, and waits; waits: what no request took."""

    fetched: int
    requests: int
    runs: int
    seconds: float
    waits: float

    def __str__(self) -> str:
        return (
            f"{self.fetched} in {self.runs} runs, {self.requests} requests, "
            f"{self.seconds:.0f} s, of which {self.waits:.0f} s waits"
        )


def load(source: Source, is_down: IsDown, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Runs one after the other until nothing is left, MOST_RUNS at most."""
    time, requests = SimulatedTime(), 0

    def send(_: HttpTransport, asked: HttpRequest, *__: Any) -> httpx.Response:
        nonlocal requests
        requests += 1
        media_type, body = ("text/plain", b"") if is_down(time.seconds) else source.respond(asked.url)
        return httpx.Response(200 if body else 503, content=body, headers={"Content-Type": media_type})

    monkeypatch.setattr(HttpTransport, "send", send)
    settings = HttpSettings("test", folder, rates={source.host: source.rate}, credentials=source.credentials)
    held: set[str] = set()
    cursor: Cursor | None = None
    runs = 0
    with HttpClient(settings, time.clock()) as http:
        while len(held) < len(source.items) and runs < MOST_RUNS:
            runs += 1
            try:
                for file in source.fetch(http, cursor, source.subjects(frozenset(held))):
                    cursor = file.cursor or cursor
                    if (item := source.item_of(file.name)) is not None:
                        held.add(item)
            except FetchError:
                continue
    assert held <= source.items
    return Load(len(held), requests, runs, time.seconds, time.seconds - requests / source.rate)
