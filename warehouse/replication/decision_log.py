"""Synchronises the log of manual decisions between machines: one append-only file, the same everywhere.

A reason that one machine has erased is erased on all of them. Does not belong here: the meaning of its rows
(`warehouse.decisions`).
"""

from __future__ import annotations

from typing import Final

from warehouse.decisions import merge_decision_logs
from warehouse.replication.errors import DivergedReplicaError, LostRaceError
from warehouse.replication.s3 import ObjectStore
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout
from warehouse.storage.locks import exclusive_lock

KEY: Final = "judgements.jsonl"
_WAIT_SECONDS: Final = 60.0
_BREAK: Final = b"\n"


def sync_decision_log(layout: Layout, store: ObjectStore) -> None:
    """Appends the store's new decisions here, or uploads new local ones.

    Raises DivergedReplicaError if both sides have new rows, LostRaceError if another machine wrote first.
    """
    with exclusive_lock(layout, "judgements", "the list of decisions", _WAIT_SECONDS):
        found = store.read(KEY)
        theirs = b"" if found is None else found.content
        ours = layout.decision_log_file.read_bytes() if layout.decision_log_file.exists() else b""
        ours = ours[: ours.rfind(_BREAK) + 1]  # without an incomplete row left by a kill
        merged = merge_decision_logs(ours, theirs)
        if merged is None:
            raise DivergedReplicaError(
                f"{layout.decision_log_file} and {store.address}/{KEY} have diverged: append the local rows "
                "to the remote ones, with the next numbers"
            )
        if merged != ours:
            atomic_files.write_bytes(layout.decision_log_file, merged)
        if merged != theirs and store.replace_previous(KEY, merged, found) is None:
            raise LostRaceError("another machine has just stored a decision: check it, then repeat yours")
