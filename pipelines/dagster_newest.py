"""The newest materialisations that this process has told Dagster of, kept to answer Dagster's questions about them.

Every step asks for what the steps before it have just made, once for each of its inputs and once for each of its
checks. Belongs here: which questions can be answered, and the answers, the same as from the files. Does not belong
here: the files (`dagster_events`).
"""

from __future__ import annotations

from collections.abc import Sequence

from dagster import AssetKey, AssetRecordsFilter, DagsterEventType, EventLogRecord
from dagster._core.event_api import EventLogCursor, EventRecordsResult
from dagster._core.events.log import EventLogEntry


class Newest:
    """By asset the newest materialisation of a partition. A partition is a batch: one run alone makes it."""

    def __init__(self) -> None:
        self._kept: dict[AssetKey, EventLogRecord] = {}

    def note(self, event: EventLogEntry, storage_id: int) -> None:
        """Keeps an event that was stored, where it tells of a partition that was made."""
        told = event.dagster_event
        is_made = event.dagster_event_type is DagsterEventType.ASSET_MATERIALIZATION
        if is_made and told is not None and told.asset_key is not None and told.partition is not None:
            self._kept[told.asset_key] = EventLogRecord(storage_id, event)

    def of(self, asset: AssetKey, partitions: Sequence[str] | None) -> EventLogRecord | None:
        """What was made last of an asset, where just its partition is asked for; None: ask the files."""
        kept = self._kept.get(asset)
        return kept if kept is not None and partitions == [kept.partition_key] else None

    def first(self, asked: AssetKey | AssetRecordsFilter) -> EventRecordsResult | None:
        """The answer to a question for one record, newest first; None: ask the files."""
        if not isinstance(asked, AssetRecordsFilter):
            return None
        found = self.of(asked.asset_key, asked.asset_partitions)
        if found is None or asked != AssetRecordsFilter(asked.asset_key, asked.asset_partitions):
            return None
        cursor = EventLogCursor.from_storage_id(found.storage_id).to_string()
        return EventRecordsResult([found], cursor=cursor, has_more=True)

    def forget(self) -> None:
        """Something was removed from the files."""
        self._kept.clear()
