"""A reader beside the runs: what it took is taken in once, whatever is killed, and in order."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest

from connectors.declare import Arrival, Cursor, Dataset, Jurisdiction, Scope
from connectors.kit.errors import CutOff, FetchError, Refused, Unavailable
from pipelines import listening, partitions
from pipelines.listening import Listener, is_listened_to, reader_lock
from pipelines.origins import Live
from pipelines.receipts import RunFacts
from pipelines.resources import Workspace
from pipelines.sensors import inbox_sensor, listen_sensor
from pipelines.settings import Settings
from pipelines.stages import raw, staged
from pipelines.stages.doubted import doubted
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, accounts
from warehouse.inbox import Inbox
from warehouse.locks import Locked

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
URL = "https://stream.example"


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Feed:
    """Events by number: a connection gives those from its cursor on, two in a body, and then ends as told."""

    root: Path
    events: int = 6
    ends: list[FetchError | None] = field(default_factory=list)
    dies_at: int | None = None
    steps: list[str] = field(default_factory=list)
    begun: list[str | None] = field(default_factory=list)
    runs: int = 0

    def listen(self, http: Any, cursor: Cursor | None) -> Iterator[Arrival]:
        self.begun.append(None if cursor is None else cursor.value)
        for first in range(int(cursor.value) if cursor else 1, self.events + 1, 2):
            numbers = range(first, min(first + 2, self.events + 1))
            lines = [json.dumps(accounts(f"e{number}", ONE, 2025, number)) for number in numbers]
            body = io.BytesIO(("hidden" + "\n".join(lines)).encode())
            yield Arrival(
                f"{first}-{numbers[-1]}.json", body, Scope.FEED, NOON, Cursor(str(numbers[-1])), URL
            )
        end = self.ends.pop(0) if self.ends else None
        if end is not None:
            raise end

    def fetch(self, http: Any, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
        yield from self.listen(http, cursor)

    def dataset(self) -> Dataset:
        return replace(MARKET.datasets[1], fetch=self.fetch, listen=self.listen, redact=_without_secrets)

    def market(self) -> Jurisdiction:
        return replace(MARKET, datasets=(MARKET.datasets[0], self.dataset()), holders={})

    def step(self, name: str) -> None:
        self.steps.append(name)
        if self.dies_at is not None and len(self.steps) > self.dies_at:
            self.dies_at = None
            raise Killed

    def workspace(self) -> Workspace:
        at = NOON + timedelta(hours=self.runs)
        return Workspace(Settings(data=self.root), (self.market(),), lambda: at, on_step=self.step)

    def read(self, connections: int = 1) -> list[float]:
        """The reader for some connections; gives the pauses between them."""
        pauses: list[float] = []

        def wait(seconds: float) -> bool:
            if seconds:
                pauses.append(seconds)
            return len(pauses) >= connections

        with closing(self.workspace()) as workspace:
            Listener(workspace, self.dataset(), None, wait).run()  # type: ignore[arg-type]  # asks nobody
        return pauses

    def take(self) -> None:
        """One run."""
        self.runs += 1
        with closing(self.workspace()) as workspace:
            at = workspace.clock()
            batch = f"{at:%Y%m%dT%H%M%S}000000Z"
            workspace.receipts.begin(batch, RunFacts(at, frozenset()))
            raw.take(workspace, self.market(), self.dataset(), Live(None), batch)  # type: ignore[arg-type]
            staged.stage(workspace, self.dataset(), batch)

    def staged(self) -> list[str]:
        """Ids of all that was staged, in order, what came again left out."""
        with closing(self.workspace()) as workspace:
            lake, key = workspace.lake, self.dataset().key
            table = MARKET.datasets[1].staged["fi_accounts"]
            rows = [lake.rows(key, batch, table).collect()["id"].to_list() for batch in lake.batches(key)]
        return list(dict.fromkeys(identity for batch in rows for identity in batch))


def _without_secrets(body: Any) -> Any:
    return io.BytesIO(body.read().replace(b"hidden", b""))


ALL = [f"e{number}" for number in range(1, 7)]


@pytest.fixture
def feed(tmp_path: Path) -> Feed:
    return Feed(tmp_path)


def test_what_a_reader_took_is_taken_in_and_leaves_the_inbox(feed: Feed) -> None:
    feed.read()
    with closing(feed.workspace()) as workspace, reader_lock(workspace, feed.dataset()):
        feed.take()  # a reader holds the connection: the run opens none
    assert (feed.staged(), feed.begun) == (ALL, [None])
    assert list(Inbox(workspace.layout, feed.dataset().key).letters()) == []
    feed.events = 9
    feed.read()
    assert feed.begun[-1] == "6"  # goes on where it was, though the inbox is empty


def test_where_nobody_reads_a_run_takes_the_feed_itself_from_behind_the_inbox(feed: Feed) -> None:
    feed.events = 3
    feed.read()
    feed.events = 6
    feed.take()
    assert (feed.staged(), feed.begun) == (ALL, [None, "3"])


def test_killed_at_any_step_nothing_is_lost_and_nothing_is_two_records(tmp_path: Path) -> None:
    whole = Feed(tmp_path / "whole")
    whole.read()
    whole.take()
    for step in range(len(whole.steps)):
        feed = Feed(tmp_path / str(step), dies_at=step)
        with suppress(Killed):
            feed.read()
            feed.take()
        feed.read()
        feed.take()
        assert feed.staged() == ALL, (step, whole.steps[step])


def test_a_body_half_written_is_nobodys(feed: Feed) -> None:
    feed.dies_at = 2  # the second body is written and not described
    with suppress(Killed):
        feed.read()
    feed.read()
    assert feed.begun == [None, "2"]


def test_the_night_is_waited_out_shortly_and_trouble_longer_and_longer(feed: Feed) -> None:
    feed.ends = [None, Unavailable(URL, 503, "x"), CutOff(URL, 200, "x"), Unavailable(URL, 429, "x"), None]
    assert feed.read(5) == [1.0, 2.0, 4.0, 60.0, 1.0]
    assert feed.begun == [None, "6", "6", "6", "6"]


def test_a_refused_key_ends_the_reader(feed: Feed) -> None:
    feed.ends = [Refused(URL, 401, "Unauthorized")]
    with pytest.raises(Refused, match="401"):
        feed.read(5)


def test_one_feed_has_one_reader(feed: Feed) -> None:
    with closing(feed.workspace()) as workspace:
        assert not is_listened_to(workspace, feed.dataset())
        with reader_lock(workspace, feed.dataset()):
            assert is_listened_to(workspace, feed.dataset())
            with pytest.raises(Locked):
                feed.read()


def test_persons_leave_before_the_inbox(feed: Feed) -> None:
    with closing(feed.workspace()) as workspace:
        inbox = Inbox(workspace.layout, feed.dataset().key)
        listener = Listener(workspace, feed.dataset(), None, lambda _: True)  # type: ignore[arg-type]
        feed.events = 1
        listener.run()
        [letter] = inbox.letters()
        assert b"hidden" not in letter.path.read_bytes()


def test_sensors_keep_the_reader_and_take_its_inbox(feed: Feed) -> None:
    with dg.DagsterInstance.ephemeral() as instance, closing(feed.workspace()) as workspace:
        context = dg.build_sensor_context(instance=instance)
        takes = inbox_sensor(feed.market(), workspace)
        assert isinstance(takes(context), dg.SkipReason)
        feed.read()
        asked: Any = takes(context)
        assert isinstance(asked, dg.RunRequest)
        assert asked.partition_key in instance.get_dynamic_partitions(str(partitions.BATCHES.name))
        assert isinstance(listen_sensor(feed.market())(context), dg.RunRequest)
    assert listening.listened(MARKET) == []


def test_what_a_complete_edition_lacks_is_doubted_before_it_is_taken_in(tmp_path: Path) -> None:
    def doubts(present: Any, complete: Any) -> Iterator[str]:
        key = ["number"]
        gone = present["fi_register"].join(complete["fi_register"], on=key, how="anti")
        yield from gone.collect()["number"]

    register = MARKET.datasets[0]
    asks = replace(MARKET.datasets[1], doubts=doubts)
    market = replace(MARKET, datasets=(register, asks), holders={})
    with closing(Workspace(Settings(data=tmp_path), (market,), lambda: NOON)) as workspace:
        table = register.staged["fi_register"]
        with workspace.history("FI") as history:
            rows = pl.DataFrame({"number": ["1", "2", "3"], "name": ["a", "b", "c"]}).with_columns(
                pl.lit(None, pl.String).alias("status"),
                pl.lit(None, pl.Date).alias("date"),
                pl.lit("firm:FI:x").alias("_company_id"),
                pl.lit(NOON).alias("_observed_at"),
                pl.lit("raw").alias("_raw"),
            )
            history.upsert_present(table, rows)
        assert list(doubted(workspace, market, asks)) == []
        at = NOON + timedelta(days=1)
        body = io.BytesIO(b"number,name,status,date\n2,b,open,2020-01-01\n3,c,open,2020-01-01\nend\n")
        workspace.archive.put(register.key, Arrival("r.csv", body, Scope.FULL, at), "20261104T120000000000Z")
        workspace.receipts.begin("20261104T120000000000Z", RunFacts(at, frozenset()))
        workspace.receipts.write(
            "20261104T120000000000Z", raw.receipt_name(register.key), {"dataset": register.key}
        )
        staged.stage(workspace, register, "20261104T120000000000Z")
        assert list(doubted(workspace, market, asks)) == ["1"]
