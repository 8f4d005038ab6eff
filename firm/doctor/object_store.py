"""`firm doctor` check of the object store: reachable, and supports conditional writes.

Writes one small object under a unique name and removes it; changes nothing else.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from pipelines.settings import IngestSettings
from warehouse.release import manifest
from warehouse.replication.errors import ReplicationError

if TYPE_CHECKING:
    from warehouse.replication.s3 import ObjectStore

Found = tuple[str, str, str]
"""State (ok, warn or bad), the subject checked, and what to do about it."""

_PATIENCE: Final = timedelta(seconds=10)
_POINTER: Final = "releases/current.json"


def object_store_findings(settings: IngestSettings) -> Iterator[Found]:
    """Checks the object store, if one is configured."""
    if settings.object_store is None:
        return
    from warehouse.replication.s3 import ObjectStore

    what = f"object store {settings.object_store}"
    shared = ObjectStore(settings.object_store, _PATIENCE)
    try:
        if not _supports_conditional_writes(shared):
            yield (
                "bad",
                f"{what} overwrites existing objects",
                "machines would overwrite each other: use a store that honours If-None-Match and If-Match on PUT",
            )
            return
        found = shared.read(_POINTER)
    except ReplicationError as error:
        yield "bad", f"{what} does not answer", str(error)
        return
    newest = 0 if found is None else json.loads(found.content)["release"]
    here = manifest.served_position(settings.layout)[0]
    if newest > here:
        yield (
            "warn",
            f"{what}: release {newest}, here {here}",
            "firm serve fetches it automatically; or run: firm release pull",
        )
    else:
        yield "ok", f"{what}: release {newest}", ""


def _supports_conditional_writes(shared: ObjectStore) -> bool:
    key = f"doctor-{uuid.uuid4().hex}"
    try:
        tag = shared.create(key, b"1")
        if tag is None or shared.create(key, b"2") is not None:
            return False
        return shared.replace(key, b"3", tag) is not None and shared.replace(key, b"4", tag) is None
    finally:
        shared.remove([key])
