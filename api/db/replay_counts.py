"""Counters of running replays: whoever ends one of their deliveries counts it, in the same transaction.

Does not belong here: deliveries that a pause or a deletion takes out of the queue (`api.db.webhook_states`).
"""

from collections import Counter
from datetime import datetime

from sqlalchemy import Connection, update

from api.db.webhook_models import Replay
from api.db.webhook_states import end_replays


class ReplayCounts:
    """Deliveries of replays that ended in one transaction; written once, at its end."""

    def __init__(self) -> None:
        self._succeeded: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._subscriptions: set[str] = set()

    def count(self, replay_id: str | None, subscription_id: str, succeeded: bool) -> None:
        """One delivery ended; nothing where no replay took it up."""
        if replay_id is not None:
            (self._succeeded if succeeded else self._failed)[replay_id] += 1
            self._subscriptions.add(subscription_id)

    def write(self, connection: Connection, at: datetime) -> None:
        """Adds them up, and completes replays in which every delivery has ended. The lanes' locks are held."""
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
            end_replays(connection, self._subscriptions, at)
