"""Synchronises the log of manual decisions between machines: one append-only file, the same everywhere.

Does not belong here: the meaning of its rows (`warehouse.judgements`).
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
    """Appends the store's new decisions here, or uploads new local ones.

    Raises Parted if both sides have new rows, Overtaken if another machine wrote first.
    """
    with exclusive(layout, "judgements", "the list of decisions", _WAIT_SECONDS):
        found = store.read(KEY)
        theirs = b"" if found is None else found.content
        ours = layout.judgements.read_bytes() if layout.judgements.exists() else b""
        ours = ours[: ours.rfind(_BREAK) + 1]  # without an incomplete row left by a kill
        if ours == theirs:
            return
        if theirs.startswith(ours):
            files.write_bytes(layout.judgements, theirs)
        elif not ours.startswith(theirs):
            raise Parted(
                f"{layout.judgements} and {store.address}/{KEY} have diverged: append the local rows to the remote "
                "ones, with the next numbers"
            )
        elif store.succeed(KEY, ours, found) is None:
            raise Overtaken("another machine has just stored a decision: check it, then repeat yours")
