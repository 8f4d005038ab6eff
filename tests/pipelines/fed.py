"""A feed of numbered events, its reader and its runs, with a clock and a disk that only tests move."""

from __future__ import annotations

import errno
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from connectors.contract.dataset import Cursor, Dataset, FetchedFile, Jurisdiction, Scope
from connectors.kit.http.errors import FetchError, TruncatedBodyError
from pipelines.runtime.step_results import RunParameters
from pipelines.settings import IngestSettings
from pipelines.sources.source import LiveSource
from pipelines.sources.stream_listener import FeedListener
from pipelines.steps import fetch as steps_fetch
from pipelines.steps import stage
from pipelines.workspace import Workspace
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, accounts

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
URL = "https://stream.example"


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Feed:
    """Events by number: a connection gives those from its cursor on, two in a body, and then ends as told.

    Without a cursor it is entered at the event `live`, as streams are. An end that a source tells at once gives none.
    """

    root: Path
    events: int = 6
    live: int = 1
    ends: list[FetchError | None] = field(default_factory=list)
    dies_at: int | None = None
    full_at: str | None = None  # the step at which the disk is full, once
    steps: list[str] = field(default_factory=list)
    begun: list[str | None] = field(default_factory=list)
    runs: int = 0

    def listen(self, http: Any, cursor: Cursor | None) -> Iterator[FetchedFile]:
        self.begun.append(None if cursor is None else cursor.value)
        end = self.ends.pop(0) if self.ends else None
        if end is not None and not isinstance(end, TruncatedBodyError):
            raise end
        for first in range(int(cursor.value) if cursor else self.live, self.events + 1, 2):
            numbers = range(first, min(first + 2, self.events + 1))
            lines = [json.dumps(accounts(f"e{number}", ONE, 2025, number)) for number in numbers]
            body = io.BytesIO(("hidden" + "\n".join(lines)).encode())
            yield FetchedFile(f"{first}-{numbers[-1]}.json", body, Scope.FEED, NOON, Cursor(str(numbers[-1])), URL)
        if end is not None:
            raise end

    def fetch(self, http: Any, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
        yield from self.listen(http, cursor)

    def dataset(self) -> Dataset:
        return replace(MARKET.datasets[1], fetch=self.fetch, listen_stream=self.listen, redact=without_secrets)

    def market(self) -> Jurisdiction:
        return replace(MARKET, datasets=(MARKET.datasets[0], self.dataset()), holder_columns={})

    def step(self, name: str) -> None:
        self.steps.append(name)
        if name == self.full_at:
            self.full_at = None
            raise OSError(errno.ENOSPC, "No space left on device")
        if self.dies_at is not None and len(self.steps) > self.dies_at:
            self.dies_at = None
            raise Killed

    def workspace(self) -> Workspace:
        at = NOON + timedelta(hours=self.runs)
        return Workspace(IngestSettings(data=self.root), (self.market(),), lambda: at, on_step=self.step)

    def read(self, connections: int = 1) -> list[float]:
        """The reader for some connections; gives the pauses between them."""
        pauses: list[float] = []

        def wait(seconds: float) -> bool:
            if seconds:
                pauses.append(seconds)
            return len(pauses) >= connections

        with closing(self.workspace()) as workspace:
            made = self.dataset()
            FeedListener(workspace, made, None, wait, lambda: 1.0).run()  # type: ignore[arg-type]  # asks nobody
        return pauses

    def take(self) -> None:
        """One run."""
        self.runs += 1
        with closing(self.workspace()) as workspace:
            at = workspace.clock()
            batch = f"{at:%Y%m%dT%H%M%S}000000Z"
            workspace.step_results.begin(batch, RunParameters(at, frozenset()))
            steps_fetch.fetch_dataset(workspace, self.market(), self.dataset(), LiveSource(None), batch)  # type: ignore[arg-type]
            stage.stage_dataset(workspace, self.market(), self.dataset(), batch)

    def staged(self) -> list[str]:
        """Ids of all that was staged, in order, what came again left out."""
        with closing(self.workspace()) as workspace:
            lake, key = workspace.staged_store, self.dataset().key
            table = MARKET.datasets[1].staged_tables["fi_accounts"]
            rows = [lake.read_rows(key, batch, table).collect()["id"].to_list() for batch in lake.batches(key)]
        return list(dict.fromkeys(identity for batch in rows for identity in batch))


def without_secrets(body: Any) -> Any:
    return io.BytesIO(body.read().replace(b"hidden", b""))
