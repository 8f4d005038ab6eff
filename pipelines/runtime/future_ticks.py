"""Begins schedules and sensors of Dagster again whose last tick is dated in the future, by a clock that was ahead.

Dagster looks for the next tick after the last one: until the clock has passed that, it starts nothing and says nothing,
whether or not a schedule is turned off and on. Called before its daemon starts, which keeps the last ticks in memory.
Does not belong here: what is due at a tick (`cadence`), or runs of killed processes (`dead_runs`).
"""

from __future__ import annotations

from datetime import datetime

import dagster as dg

from pipelines.runtime.batch_ids import CLOCK_SLACK

_SCHEDULE = {"start_timestamp", "last_iteration_timestamp"}
_SENSOR = {
    "last_tick_timestamp", "last_tick_start_timestamp", "last_sensor_start_timestamp", "last_tick_success_timestamp",
}  # fmt: skip


def restart_future_instigators(instance: dg.DagsterInstance, now: datetime) -> list[str]:
    """Removes the ticks of each schedule and sensor that has one after `now`; returns their names.

    They begin again now, on or off as they were, sensors with their cursors.
    """
    latest = (now + CLOCK_SLACK).timestamp()
    restarted: list[str] = []
    for state in instance.all_instigator_state():
        origin, selector, data = state.instigator_origin_id, state.selector_id, state.instigator_data
        if data is None:
            continue
        known = {name: at for name, at in data._asdict().items() if name in _SCHEDULE | _SENSOR and at is not None}
        instants = [*known.values(), *(tick.timestamp for tick in instance.get_ticks(origin, selector, limit=1))]
        newest = max(instants, default=0.0)
        if newest <= latest:
            continue
        instance.purge_ticks(origin, selector, before=newest + 1)
        begun = {"start_timestamp": now.timestamp()} if "start_timestamp" in known else {}
        instance.update_instigator_state(state.with_data(data._replace(**{**dict.fromkeys(known), **begun})))
        restarted.append(state.instigator_name)
    return restarted
