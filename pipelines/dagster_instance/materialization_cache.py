"""Cache of the newest materialisations reported by this process, to answer Dagster's queries about them.

Every step queries the outputs of the steps before it, once for each input and once for each check. Belongs
here: which queries can be answered from memory, with the same result as from the files. Does not belong here:
the files (`sqlite_event_log`).
"""

from __future__ import annotations

from collections.abc import Sequence

from dagster import AssetKey, AssetRecordsFilter, DagsterEventType, EventLogRecord
from dagster._core.event_api import EventLogCursor, EventRecordsResult
from dagster._core.events.log import EventLogEntry


class MaterializationCache:
    """Newest partition materialisation per asset. A partition is a batch, so only one run writes it."""

    def __init__(self) -> None:
        self._kept: dict[AssetKey, EventLogRecord] = {}

    def note(self, event: EventLogEntry, storage_id: int) -> None:
        """Caches a stored event if it is the materialisation of a partition."""
        told = event.dagster_event
        is_made = event.dagster_event_type is DagsterEventType.ASSET_MATERIALIZATION
        if is_made and told is not None and told.asset_key is not None and told.partition is not None:
            self._kept[told.asset_key] = EventLogRecord(storage_id, event)

    def of(self, asset: AssetKey, partitions: Sequence[str] | None) -> EventLogRecord | None:
        """The asset's newest materialisation if exactly its partition is requested; None on a cache miss."""
        kept = self._kept.get(asset)
        return kept if kept is not None and partitions == [kept.partition_key] else None

    def first(self, asked: AssetKey | AssetRecordsFilter) -> EventRecordsResult | None:
        """The answer to a query for the one newest record; None on a cache miss."""
        if not isinstance(asked, AssetRecordsFilter):
            return None
        found = self.of(asked.asset_key, asked.asset_partitions)
        if found is None or asked != AssetRecordsFilter(asked.asset_key, asked.asset_partitions):
            return None
        cursor = EventLogCursor.from_storage_id(found.storage_id).to_string()
        return EventRecordsResult([found], cursor=cursor, has_more=True)

    def forget(self) -> None:
        """Clears the cache, after rows were removed from the files."""
        self._kept.clear()
