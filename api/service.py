"""What the running service consists of, put together once by `api.app.create_app`.

Does not belong here: state of one request (`api.call`).
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from api.access_log import AccessLog
from api.auth import Authenticator
from api.clock import Clock
from api.overload import Lists
from api.pagination import Cursors
from api.settings import ApiSettings
from api.stamps import Stamps
from api.ulids import Ulids
from warehouse.reading import Snapshot


class SnapshotSource(Protocol):
    """The part of `warehouse.reader.Reader` that routes use."""

    def pin(self) -> AbstractContextManager[Snapshot]: ...


@dataclass(frozen=True, slots=True)
class Service:
    """Everything a route may need; nothing in it changes while the service runs."""

    settings: ApiSettings
    reader: SnapshotSource
    clock: Clock
    ulids: Ulids
    authenticator: Authenticator
    cursors: Cursors
    lists: Lists
    stamps: Stamps
    access_log: AccessLog
    openapi: bytes
