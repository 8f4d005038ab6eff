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
    from firm.bootstrap import Installation


def finish_erasures(layout: Layout) -> int:
    """Blanks stored events of subjects already erased from the ledger; returns the number of events."""
    stones = TombstoneStore(layout)
    due = [stone for stone in stones.unfinished_tombstones() if LEDGER in stone.done and CONTROL not in stone.done]
    if not due:
        return 0
    from firm.bootstrap import Installation

    count = redact_deliveries(Installation.read(), due)
    stones.record_step([stone.subject for stone in due], CONTROL)
    return count


def redact_deliveries(installation: Installation, stones: Sequence[Tombstone]) -> int:
    """Blanks stored events of erased subjects; returns the number of events."""
    from api.webhooks import erasure

    blanking = EventRedactor.of(stones)
    with installation.database() as database:
        return erasure.erase_events(database, blanking.redact_event)
