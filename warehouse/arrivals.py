"""Interface of what the archive stores.

Does not belong here: where it comes from (`connectors.declare.Arrival`, `pipelines.origins`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, BinaryIO, Protocol


class ArrivalLike(Protocol):
    """A fetched body with metadata, shaped like `connectors.declare.Arrival`, which must not be imported here."""

    @property
    def name(self) -> str: ...
    @property
    def body(self) -> BinaryIO: ...
    @property
    def scope(self) -> str: ...
    @property
    def observed_at(self) -> datetime: ...
    @property
    def cursor(self) -> Any: ...
    @property
    def url(self) -> str | None: ...
    @property
    def status(self) -> int | None: ...
    @property
    def headers(self) -> Mapping[str, str] | None: ...
