"""Nobody waits for a slot that is free, on one machine and in PostgreSQL: with Dagster's own ways a run did for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.dagster_instance.concurrency_slots import SlotAssigningEventLog
from pipelines.dagster_instance.dagster_internals import SqlEventLogStorage
from pipelines.ingest.job_runs import dagster_instance
from pipelines.settings import IngestSettings

POOL = "host_register"


@pytest.fixture(params=["one machine", "several machines"])
def events(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SlotAssigningEventLog]:
    given = {"FIRM_DATA": str(tmp_path)}
    if request.param == "several machines":
        given["FIRM_DAGSTER_DATABASE_URL"] = request.getfixturevalue("postgresql")()
    settings = IngestSettings.read(given)
    for name, value in settings.dagster_environment.items():
        monkeypatch.setenv(name, value)
    with dagster_instance(settings) as instance:
        storage = instance.event_log_storage
        assert isinstance(storage, SlotAssigningEventLog)
        assert storage.initialize_concurrency_limit_to_default(POOL)
        yield storage


def _given_back_before_queueing(events: SlotAssigningEventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run `first` gives its slot back where the next to ask has seen that there is none, and is not queued yet."""
    queue: Callable[..., None] = events.add_pending_step

    def late(*of: Any, **named: Any) -> None:
        events.free_concurrency_slot_for_step("first", "step")
        queue(*of, **named)

    monkeypatch.setattr(events, "add_pending_step", late)


def test_a_slot_given_back_while_somebody_queues_is_his(
    events: SlotAssigningEventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert events.claim_concurrency_slot(POOL, "first", "step").is_claimed
    _given_back_before_queueing(events, monkeypatch)
    assert events.claim_concurrency_slot(POOL, "second", "step").is_claimed


def test_dagster_itself_leaves_it_to_nobody(events: SlotAssigningEventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = SqlEventLogStorage.claim_concurrency_slot
    assert theirs(events, POOL, "first", "step").is_claimed
    _given_back_before_queueing(events, monkeypatch)
    asked = [theirs(events, POOL, "second", "step") for _ in range(3)]
    # Once Dagster does not, the module can go.
    assert not any(found.is_claimed or found.is_assigned for found in asked)
    assert events.claim_concurrency_slot(POOL, "second", "step").is_claimed  # who waits already is woken too


def test_a_pool_of_one_never_has_two_holders_and_everybody_comes_to_the_turn(events: SlotAssigningEventLog) -> None:
    waiting = [f"run {number}" for number in range(5)]
    served: list[str] = []
    for _ in range(20):  # rounds of asking: the holder has it in one, and is gone in the next
        holders = [run for run in waiting if events.claim_concurrency_slot(POOL, run, "step").is_claimed]
        assert len(holders) <= 1
        for run in holders:
            events.free_concurrency_slot_for_step(run, "step")
            waiting.remove(run)
            served.append(run)
    assert served == [f"run {number}" for number in range(5)]
