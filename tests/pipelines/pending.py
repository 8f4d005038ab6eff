"""Which bodies are pending, computed from all bodies and batches: the index of a market must say the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from warehouse.raw.archive import RawBody
from warehouse.staged.store import StagedIndex


def pending_bodies(
    bodies: Sequence[RawBody], indexes: Iterable[StagedIndex], repaired: Collection[str] = ()
) -> list[RawBody]:
    """Bodies that RAW holds and no staged batch (oldest first) names: of this run, and of killed ones before.

    A batch names a body by name and bytes, if the body was fetched by its run or before. A body equal to a named
    one in name, bytes and instant is left out: a folder may hold two vintages under one name, and be ingested
    again. One that replaces another body of the same instant is included, even if it is the original body again; so
    is one that was damaged when parsed and is intact again (`repaired`, by SHA-256): it replaces itself.
    """
    named = {(entry["name"], entry["sha256"]): index.batch for index in indexes for entry in index.pieces}

    def is_named(body: RawBody) -> bool:
        return body.batch <= named.get((body.name, body.sha256), "")

    unnamed = [body for body in bodies if not is_named(body) and body.sha256 not in repaired]
    names = {body.name for body in unnamed}
    read = {_body_identity(body) for body in bodies if body.name in names and is_named(body)}
    again = [replace(body, replaces=body.sha256) for body in bodies if body.sha256 in repaired]
    return again + [body for body in unnamed if body.replaces is not None or _body_identity(body) not in read]


def _body_identity(body: RawBody) -> tuple[str, str, datetime]:
    return body.name, body.sha256, body.observed_at
