"""A first load of Norwegian accounts through outages: every company in the end, in a time that is told."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from connectors.contract.pieces import Cursor
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.errors import SourceUnavailableError
from connectors.kit.http.transport import HttpTransport
from connectors.no.regnskap.fetch import fetch_accounts
from tests.tables import check_cases

RATE = 2.0
BURST_SECONDS = 60.0
BEGAN = datetime(2026, 11, 3, 6, tzinfo=UTC)
IsDown = Callable[[float], bool]


@dataclass
class SimulatedTime:
    """Seconds that pass by waiting alone."""

    seconds: float = 0.0
    dice: random.Random = field(default_factory=lambda: random.Random(1))

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def clock(self) -> FetchClock:
        return FetchClock(
            now=lambda: BEGAN + timedelta(seconds=self.seconds),
            monotonic=lambda: self.seconds,
            sleep=self.sleep,
            random_fraction=self.dice.random,
        )


def random_outages(share: float) -> IsDown:
    """Each request fails with the same chance."""
    drawn = random.Random(2)
    return lambda _: drawn.random() < share


def bursty_outages(share: float) -> IsDown:
    """Down for minutes at a time: bursts and the time between them are drawn, so that the share of time is right."""
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
class Load:
    """What a load took: companies fetched, seconds, requests and runs."""

    fetched: int
    seconds: float
    requests: int
    runs: int


def load(companies: int, is_down: IsDown, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Runs one after the other until a run leaves nothing, at most ten."""
    time, requests = SimulatedTime(), 0

    def send(*_: Any) -> httpx.Response:
        nonlocal requests
        requests += 1
        down = is_down(time.seconds)
        return httpx.Response(
            503 if down else 200, content=b"" if down else b"[]", headers={"Content-Type": "application/json"}
        )

    monkeypatch.setattr(HttpTransport, "send", send)
    subjects = [f"{910_000_000 + number}:2025" for number in range(companies)]
    fetched: set[str] = set()
    cursor: Cursor | None = None
    settings = HttpSettings("test", folder, rates={"data.brreg.no": RATE})
    runs = 0
    with HttpClient(settings, time.clock()) as http:
        for runs in range(1, 11):  # noqa: B007 - its last value is told
            try:
                for file in fetch_accounts(http, cursor, subjects):
                    fetched.add(file.name)
                    cursor = file.cursor or cursor
            except SourceUnavailableError:
                continue
            if len(fetched) == companies:
                break
    return Load(len(fetched), time.seconds, requests, runs)


CASES = [(kind, share) for kind in ("random", "bursty") for share in (0.1, 0.3, 0.5)]


@check_cases(("kind", "share"), CASES)
def test_fetch_accounts_through_outages_fetches_every_company(
    kind: str, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_down = {"random": random_outages, "bursty": bursty_outages}[kind](share)
    found = load(100, is_down, tmp_path, monkeypatch)
    assert found.fetched == 100


@pytest.mark.slow
@check_cases(("kind", "share"), CASES)
def test_fetch_accounts_through_outages_makes_at_most_twice_the_requests(
    kind: str, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_down = {"random": random_outages, "bursty": bursty_outages}[kind](share)
    found = load(2_000, is_down, tmp_path, monkeypatch)
    print(f"{kind} {share:.0%}: {found}")  # noqa: T201 - the figures of docs/first-live-load.md
    assert found.fetched == 2_000
    assert found.requests <= 2 * 2_000 * 1.05
