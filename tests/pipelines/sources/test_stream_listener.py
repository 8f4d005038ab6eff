"""A reader beside the runs: what it took is taken in once, whatever is killed, and in order."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.kit.http.errors import RequestRejectedError, SourceUnavailableError, TruncatedBodyError
from pipelines.sources import stream_listener
from pipelines.sources.stream_listener import FeedListener, has_listener, listener_lock
from pipelines.steps import fetch as steps_fetch
from tests.pipelines.fed import NOON, URL, Feed, Killed
from tests.pipelines.invented import MARKET
from warehouse.raw.stream_spool import StreamSpool
from warehouse.storage.locks import AlreadyLockedError

ALL = [f"e{number}" for number in range(1, 7)]


@pytest.fixture
def feed(tmp_path: Path) -> Feed:
    return Feed(tmp_path)


def test_what_a_reader_took_is_taken_in_and_leaves_the_inbox(feed: Feed) -> None:
    feed.read()
    with closing(feed.workspace()) as workspace, listener_lock(workspace, feed.dataset()):
        feed.take()  # a reader holds the connection: the run opens none
    assert (feed.staged(), feed.begun) == (ALL, [None])
    assert list(StreamSpool(workspace.layout, feed.dataset().key).spooled_bodies()) == []
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
    whole = Feed(tmp_path / "whole", events=4)
    whole.read()
    whole.take()
    for step in range(len(whole.steps)):
        feed = Feed(tmp_path / str(step), events=4, dies_at=step)
        with suppress(Killed):
            feed.read()
            feed.take()
        feed.read()
        feed.take()
        assert feed.staged() == ALL[:4], (step, whole.steps[step])
        assert not list(feed.root.glob("inbox/*/*.body")), (step, whole.steps[step])


def test_what_a_killed_run_had_archived_is_where_reader_and_run_go_on(tmp_path: Path) -> None:
    """Though nothing of it is staged: without any place the stream would be entered behind what came meanwhile."""
    whole = Feed(tmp_path / "whole")
    whole.read()
    read = len(whole.steps)
    whole.take()
    steps = {name: place for place, name in enumerate(whole.steps[read:], read)}  # the last of each name
    for step in steps.values():
        feed = Feed(tmp_path / str(step))
        feed.read()
        feed.dies_at = step
        with suppress(Killed):
            feed.take()
        feed.events, feed.live = 9, 9
        if step % 2:
            feed.read()
        feed.take()
        assert feed.staged() == [*ALL, "e7", "e8", "e9"], whole.steps[step]


def test_a_body_half_written_is_nobodys(feed: Feed) -> None:
    feed.dies_at = 2  # the second body is written and not described
    with suppress(Killed):
        feed.read()
    assert len(list(feed.root.glob("inbox/*/*.body"))) == 2
    feed.read()
    assert feed.begun == [None, "2"]
    assert len(list(feed.root.glob("inbox/*/*.body"))) == 4  # 1-2; 2-3, 4-5 and 6 of the second connection


def test_a_body_put_while_the_one_before_is_taken_out_stays(feed: Feed) -> None:
    with closing(feed.workspace()) as workspace:
        inbox = StreamSpool(workspace.layout, "x")
        inbox.put("first", io.BytesIO(b"first"), URL, NOON, "1")
        [taken] = inbox.spooled_bodies()
        taken.description_path.unlink()  # the number is free again, the body is not gone yet
        inbox.put("second", io.BytesIO(b"second"), URL, NOON, "1")
        taken.body.unlink()
        [left] = inbox.spooled_bodies()
        with left.open() as body:
            assert body.read() == b"second"


@pytest.mark.parametrize("step", ["letter written", "letter told"])
def test_on_a_full_disk_nothing_is_half_there_and_the_source_is_asked_again(feed: Feed, step: str) -> None:
    feed.full_at = step
    assert feed.read(2)[-1] == 1.0
    told, bodies = (len(list(feed.root.glob(f"inbox/*/*.{kind}"))) for kind in ("json", "body"))
    assert told == bodies
    assert not list(feed.root.glob("inbox/*/*.tmp"))
    feed.take()
    assert feed.staged() == ALL
    assert feed.begun[:2] == [None, None if step == "letter written" else "2"]


def test_the_night_is_waited_out_shortly_and_trouble_longer_and_longer(feed: Feed) -> None:
    refused, crowded = SourceUnavailableError(URL, 503, "x"), SourceUnavailableError(URL, 429, "x", 120.0)
    ended = [
        None,
        refused,
        refused,
        RequestRejectedError(URL, 500, "x"),
        SourceUnavailableError(URL, 429, "x"),
        crowded,
        TruncatedBodyError(URL, 200, "x"),
        None,
    ]
    feed.ends = list(ended)
    assert feed.read(8) == [1.0, 2.0, 4.0, 8.0, 60.0, 120.0, 1.0, 1.0]
    assert feed.begun == [None, *["6"] * 7]


def test_pauses_are_spread(feed: Feed) -> None:
    waited: list[float] = []
    with closing(feed.workspace()) as workspace:
        wait = lambda seconds: waited.append(seconds) or bool(seconds)  # noqa: E731
        FeedListener(workspace, feed.dataset(), None, wait, lambda: 0.0).run()  # type: ignore[arg-type]
    assert waited[-1] == 0.5


def test_a_run_tells_of_a_reader_that_tries_in_vain(feed: Feed) -> None:
    feed.ends = [SourceUnavailableError(URL, 503, "x")] * 3
    feed.read(3)
    with closing(feed.workspace()) as workspace:
        assert stream_listener.connection_error(workspace, feed.dataset()) is None  # nobody reads: the run asks itself
        with listener_lock(workspace, feed.dataset()):
            assert "503" in str(stream_listener.connection_error(workspace, feed.dataset()))
            feed.runs = -1  # a run of the same minute
            feed.take()
            [batch] = workspace.step_results.batches()
            told = workspace.step_results.read(batch, steps_fetch.fetch_result_name(feed.dataset().key))
    assert told is not None
    assert "its feed reader fails" in told["failure"]
    feed.runs = 30  # days later the note is of no connection any more
    with closing(feed.workspace()) as workspace, listener_lock(workspace, feed.dataset()):
        assert stream_listener.connection_error(workspace, feed.dataset()) is None


def test_reader_and_run_are_never_connected_at_once(feed: Feed) -> None:
    with closing(feed.workspace()) as workspace:
        with stream_listener.connection_lock(workspace, feed.dataset()):  # a run amid the feed
            assert feed.read() == [2.0]
            feed.take()
        assert feed.begun == []
        feed.read()
    assert feed.begun == [None]


def test_a_refused_key_ends_the_reader(feed: Feed) -> None:
    feed.ends = [RequestRejectedError(URL, 401, "Unauthorized")]
    with pytest.raises(RequestRejectedError, match="401"):
        feed.read(5)


def test_a_refused_feed_ends_alone_and_is_told_of_in_the_end(feed: Feed, tmp_path: Path) -> None:
    stop = threading.Event()

    def last(http: Any, cursor: Cursor | None) -> Iterator[FetchedFile]:
        for thread in threading.enumerate():
            if thread.name == "listen-fi.refused":
                thread.join()
        yield from feed.listen(http, cursor)
        stop.set()

    def refused(http: Any, cursor: Cursor | None) -> Iterator[FetchedFile]:
        raise RequestRejectedError(URL, 403, "no key")
        yield

    bad = replace(feed.dataset(), key="fi.refused", listen_stream=refused)
    good = replace(feed.dataset(), listen_stream=last)
    market = replace(MARKET, datasets=(MARKET.datasets[0], bad, good), holder_columns={})
    with closing(feed.workspace()) as workspace, pytest.raises(RequestRejectedError, match="no key"):
        stream_listener.listen(workspace, market, None, stop)  # type: ignore[arg-type]
    assert len(list(StreamSpool(workspace.layout, good.key).spooled_bodies())) == len(ALL) / 2


def test_a_reader_that_fails_ends_all_and_says_so(feed: Feed) -> None:
    def broken(http: Any, cursor: Cursor | None) -> Iterator[FetchedFile]:
        raise ZeroDivisionError
        yield

    market = replace(
        MARKET, datasets=(MARKET.datasets[0], replace(feed.dataset(), listen_stream=broken)), holder_columns={}
    )
    with closing(feed.workspace()) as workspace, pytest.raises(ZeroDivisionError):
        stream_listener.listen(workspace, market, None, threading.Event())  # type: ignore[arg-type]


def test_one_feed_has_one_reader(feed: Feed) -> None:
    with closing(feed.workspace()) as workspace:
        assert not has_listener(workspace, feed.dataset())
        with listener_lock(workspace, feed.dataset()):
            assert has_listener(workspace, feed.dataset())
            with pytest.raises(AlreadyLockedError):
                feed.read()


def test_persons_leave_before_the_inbox(feed: Feed) -> None:
    with closing(feed.workspace()) as workspace:
        inbox = StreamSpool(workspace.layout, feed.dataset().key)
        listener = FeedListener(workspace, feed.dataset(), None, lambda _: True)  # type: ignore[arg-type]
        feed.events = 1
        listener.run()
        [letter] = inbox.spooled_bodies()
        assert b"hidden" not in letter.body.read_bytes()


def test_a_reader_whose_key_of_person_marks_is_unreadable_ends_before_it_connects(feed: Feed) -> None:
    marked = replace(feed.dataset(), mark_persons=lambda body, _: body)
    waits = iter([False, False])
    with closing(feed.workspace()) as workspace:
        workspace.layout.mark_key_file.write_text("{}")
        with pytest.raises(RequestRejectedError, match="key of person marks"):
            FeedListener(workspace, marked, None, lambda _: next(waits, True)).run()  # type: ignore[arg-type]
    assert feed.begun == []
