"""Control-plane part of an erasure: blanks stored delivery events once the ledger has been done.

Belongs here: connecting both packages, for `firm erase`, the end of `firm ingest` and Dagster's runs
(`definitions`). Does not belong here: the removal in each package (`pipelines.erasure.market`, `api.webhooks.erasure`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from warehouse.erasure.event_redaction import EventRedactor
from warehouse.erasure.tombstones import CONTROL, LEDGER, Tombstone, TombstoneStore
from warehouse.storage.layout import Layout

if TYPE_CHECKING:
    from api.database.engine import Database


def finish_erasures(layout: Layout) -> int:
    """Blanks stored events of subjects already erased from the ledger; returns the number of events."""
    stones = TombstoneStore(layout)
    due = [stone for stone in stones.unfinished_tombstones() if LEDGER in stone.done and CONTROL not in stone.done]
    if not due:
        return 0
    from firm.bootstrap import Installation

    with Installation.read().database() as database:
        count = redact_deliveries(database, due)
    stones.record_step([stone.subject for stone in due], CONTROL)
    return count


def redact_deliveries(database: Database, stones: Sequence[Tombstone]) -> int:
    """Blanks stored events of erased subjects; returns the number of events."""
    from api.webhooks import erasure

    return erasure.erase_events(database, EventRedactor.of(stones).redact_event)
