"""A register that answers from a table, in place of one that is asked over HTTP."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from connectors.contract.dataset import FetchedFile
from connectors.kit.formats import BodyFormat
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import FetchError
from connectors.kit.http.response import FetchedResponse, Validators

NOW = datetime(2026, 11, 3, 4, tzinfo=UTC)
Reply = tuple[int, bytes] | FetchError


@dataclass
class Register:
    """Answers by address; what it was asked is remembered."""

    answer: Callable[[str, dict[str, str]], Reply]
    asked: list[str] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def pause(self, _: str, seconds: float) -> None:
        self.pauses.append(seconds)

    def get(self, url: str, **_: Any) -> FetchedResponse:
        self.asked.append(url)
        parts = urlsplit(url)
        found = self.answer(parts.path, {name: one[0] for name, one in parse_qs(parts.query).items()})
        if isinstance(found, FetchError):
            raise found
        status, body = found
        return FetchedResponse(url, status, {}, io.BytesIO(body), len(body), BodyFormat.JSON, NOW, None, Validators())

    def download(self, url: str, **_: Any) -> FetchedResponse:
        return self.get(url)


def http(register: Register) -> HttpClient:
    return cast("HttpClient", register)


def noted(arrivals: Iterator[FetchedFile], into: list[FetchedFile]) -> Iterator[FetchedFile]:
    """Every arrival into a list, before what raises."""
    for arrival in arrivals:
        into.append(arrival)  # noqa: PERF402 - the list is kept when the iterator raises
    yield from ()
