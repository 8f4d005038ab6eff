"""Progress counters of running replays, updated in the transaction that ends a delivery.

Does not belong here: deliveries that a pause or a deletion takes out of the queue
(`api.webhooks.subscriptions.state_transitions`).
"""

from collections import Counter
from datetime import datetime

from sqlalchemy import Connection, update

from api.database.models.webhooks import Replay
from api.webhooks.subscriptions.state_transitions import complete_replays


class ReplayCounts:
    """Counts replay deliveries that ended in one transaction; written once, at its end."""

    def __init__(self) -> None:
        self._succeeded: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._subscriptions: set[str] = set()

    def count(self, replay_id: str | None, subscription_id: str, succeeded: bool) -> None:
        """Counts one ended delivery; no effect if it belongs to no replay."""
        if replay_id is not None:
            (self._succeeded if succeeded else self._failed)[replay_id] += 1
            self._subscriptions.add(subscription_id)

    def write(self, connection: Connection, at: datetime) -> None:
        """Writes the counters, and completes replays in which every delivery has ended.

        The caller holds the endpoint-queue locks.
        """
        for replay_id in sorted(self._succeeded.keys() | self._failed.keys()):
            connection.execute(
                update(Replay)
                .where(Replay.replay_id == replay_id, Replay.completed_at.is_(None))
                .values(
                    succeeded=Replay.succeeded + self._succeeded[replay_id],
                    failed=Replay.failed + self._failed[replay_id],
                )
            )
        if self._subscriptions:
            complete_replays(connection, self._subscriptions, at)
