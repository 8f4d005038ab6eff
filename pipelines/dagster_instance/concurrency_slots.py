"""Works around a lost wake-up of Dagster's concurrency slots.

Dagster checks a pool for a free slot and then queues the step in two separate transactions. A slot freed
between the two wakes no step, because none is queued yet; the step queued afterwards waits although all slots
are free, for ever if no other run comes along. Belongs here: detecting that, and asking whoever can tell where no slot
is free. Does not belong here: telling that a killed run holds them (`runtime.dead_runs`).
"""

from __future__ import annotations

from collections.abc import Callable

from pipelines.dagster_instance.dagster_internals import ConcurrencyClaimStatus, SqlEventLogStorage


class SlotAssigningEventLog(SqlEventLogStorage):
    """Event log that never leaves steps waiting for a pool with free slots.

    on_full_pool: called with the name of a pool that has no free slot, each time a step claims one.
    """

    on_full_pool: Callable[[str], None] | None = None

    def claim_concurrency_slot(
        self, concurrency_key: str, run_id: str, step_key: str, priority: int | None = None
    ) -> ConcurrencyClaimStatus:
        """Claims a slot for a step, or returns why there is none; waiting steps call it every few seconds.

        Two concurrent callers may both be assigned the last slot. Claiming is one transaction, so one of them
        gets it and the other gets it later.
        """
        found = super().claim_concurrency_slot(concurrency_key, run_id, step_key, priority)
        if found.is_claimed or found.is_assigned:
            return found
        if self.has_unassigned_slots(concurrency_key):
            self.assign_pending_steps([concurrency_key])
        elif self.on_full_pool is not None:
            self.on_full_pool(concurrency_key)
        else:
            return found
        return super().claim_concurrency_slot(concurrency_key, run_id, step_key, priority)
