"""What persons have judged, on all machines: one file that only grows, the same everywhere.

Does not belong here: what a row of it says (`warehouse.judgements`).
"""

from __future__ import annotations

from typing import Final

from warehouse import files
from warehouse.locks import exclusive
from warehouse.paths import Layout
from warehouse.remote.failures import Overtaken, Parted
from warehouse.remote.store import Store

KEY: Final = "judgements.jsonl"
_WAIT_SECONDS: Final = 60.0
_BREAK: Final = b"\n"


def shared(layout: Layout, store: Store) -> None:
    """Brings what others have judged here, or what has been judged here to others.

    Parted where both have judged without knowing of each other; Overtaken where somebody else was faster.
    """
    with exclusive(layout, "judgements", "the list of judgements", _WAIT_SECONDS):
        found = store.read(KEY)
        theirs = b"" if found is None else found.content
        ours = layout.judgements.read_bytes() if layout.judgements.exists() else b""
        ours = ours[: ours.rfind(_BREAK) + 1]  # what a kill cut off is no row
        if ours == theirs:
            return
        if theirs.startswith(ours):
            files.write_bytes(layout.judgements, theirs)
        elif not ours.startswith(theirs):
            raise Parted(
                f"{layout.judgements} and {store.address}/{KEY} have rows that the other lacks: put ours below "
                "theirs, with the numbers that follow"
            )
        elif store.succeed(KEY, ours, found) is None:
            raise Overtaken("somebody has judged on another machine just now: look, and judge again")
