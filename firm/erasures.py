"""Control-plane part of an erasure: blanks stored delivery events once the ledger has been done.

Belongs here: connecting both packages, for `firm erase` and the end of `firm ingest`. Does not belong here: the
removal in each package (`pipelines.erasing`, `api.db.erasing`).
"""

from __future__ import annotations

from firm.compose import Installation
from warehouse.blanking import Blanking
from warehouse.paths import Layout
from warehouse.tombstones import CONTROL, LEDGER, Tombstones


def end(layout: Layout) -> int:
    """Blanks stored events of subjects already erased from the ledger; returns the number of events."""
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
