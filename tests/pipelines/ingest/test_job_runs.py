"""A run of Dagster that ends between its steps is no success: an ingest tells of it, or is interrupted."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from pipelines.reporting.report import DONE
from tests.pipelines.places import Place

pytestmark = pytest.mark.slow


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with dg.DagsterInstance.ephemeral() as instance:
        made = Place(tmp_path, instance=instance)
        made.plain()
        yield made


def end_between_steps(place: Place, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """The first run ends when its executor tells of itself, before its first step."""
    instance = place.instance
    assert instance is not None
    record = instance.handle_new_event
    left = [error]

    def records(event: dg.EventLogEntry, **values: Any) -> None:
        said = event.dagster_event
        if left and said is not None and said.event_type is dg.DagsterEventType.ENGINE_EVENT:
            raise left.pop()
        record(event, **values)

    monkeypatch.setattr(instance, "handle_new_event", records)


def test_ctrl_c_between_two_steps_interrupts_the_ingest(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    end_between_steps(place, monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        place.ingest()
    assert place.ingest().release == 1


@pytest.mark.parametrize("event_type", [dg.DagsterEventType.ENGINE_EVENT, dg.DagsterEventType.RUN_SUCCESS])
def test_ctrl_c_while_dagster_writes_its_records_is_not_forgotten(
    place: Place, monkeypatch: pytest.MonkeyPatch, event_type: dg.DagsterEventType
) -> None:
    instance = place.instance
    assert instance is not None
    record, left = instance.handle_new_event, [signal.SIGINT]

    def interrupts(event: dg.EventLogEntry, **values: Any) -> None:
        if left and event.dagster_event is not None and event.dagster_event.event_type is event_type:
            signal.raise_signal(left.pop())
        record(event, **values)

    monkeypatch.setattr(instance, "handle_new_event", interrupts)
    with pytest.raises(KeyboardInterrupt):
        place.ingest()
    assert left == []
    assert place.ingest().release == 1


def test_a_run_in_the_background_is_still_ended_by_termination(place: Place) -> None:
    """A shell has it ignore Ctrl-C, and Dagster would have it ignore SIGTERM, too."""
    on_interrupt, before = signal.signal(signal.SIGINT, signal.SIG_IGN), signal.getsignal(signal.SIGTERM)
    try:
        assert place.ingest().release == 1
        assert signal.getsignal(signal.SIGTERM) == before != signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, on_interrupt)
        signal.signal(signal.SIGTERM, before)


def test_an_error_between_two_steps_is_told_and_nothing_is_published(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_between_steps(place, monkeypatch, OSError(28, "No space left on device"))
    report = place.ingest()
    [error] = report.errors
    assert (error.market, report.release) == ("FI", None)
    assert "run " in error.message
    assert "No space left on device" in error.message
    assert report.exit_code != DONE
    assert place.ingest().release == 1
