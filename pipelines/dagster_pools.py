"""Slots of Dagster's pools that nobody was told of are given away when somebody asks for one.

Dagster looks whether a pool has a slot left, and then queues a step, in two transactions. A slot that is given back
between the two wakes nobody, for nobody is queued yet; the step that is queued then waits for a slot to be given
back, and all are free: where no other run comes along, for ever. Belongs here: finding that. Does not belong here:
slots that a killed run holds (`healing`).
"""

from __future__ import annotations

from dagster._core.storage.event_log import SqlEventLogStorage
from dagster._utils.concurrency import ConcurrencyClaimStatus


class WatchedPools(SqlEventLogStorage):
    """Records of events whose pools never have a free slot and only steps that wait for it."""

    def claim_concurrency_slot(
        self, concurrency_key: str, run_id: str, step_key: str, priority: int | None = None
    ) -> ConcurrencyClaimStatus:
        """A slot for a step, or why it has none; asked again by whoever waits, every few seconds.

        Two that ask at once may both be told that the one slot is theirs. Taking it is one transaction, so one of
        them does, and the other takes it later.
        """
        found = super().claim_concurrency_slot(concurrency_key, run_id, step_key, priority)
        if found.is_claimed or found.is_assigned or not self.has_unassigned_slots(concurrency_key):
            return found
        self.assign_pending_steps([concurrency_key])
        return super().claim_concurrency_slot(concurrency_key, run_id, step_key, priority)
