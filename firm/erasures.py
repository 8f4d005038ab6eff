"""The part of an erasure that is the control plane's: stored events of deliveries, once the ledger has been done.

Belongs here: bringing the two rooms together, for `firm erase` and at the end of `firm ingest`. Does not belong
here: what is taken out where (`pipelines.erasing`, `api.db.erasing`).
"""

from __future__ import annotations

from firm.compose import Installation
from warehouse.blanking import Blanking
from warehouse.paths import Layout
from warehouse.tombstones import CONTROL, LEDGER, Tombstones


def end(layout: Layout) -> int:
    """Blanks what deliveries keep of subjects whose events are blank in the ledger; how many events."""
    stones = Tombstones(layout)
    due = [stone for stone in stones.unfinished() if LEDGER in stone.done and CONTROL not in stone.done]
    if not due:
        return 0
    from api.db import erasing

    blanking = Blanking.of(due)
    with Installation.read().database() as database:
        count = erasing.erase(database, blanking.companies, blanking.blanked)
    stones.note([stone.subject for stone in due], CONTROL)
    return count
