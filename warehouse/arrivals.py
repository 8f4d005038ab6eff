"""What the archive takes in, as it is handed over.

Does not belong here: where it comes from (`connectors.declare.Arrival`, `pipelines.origins`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, BinaryIO, Protocol


class ArrivalLike(Protocol):
    """What an origin hands in: shaped like `connectors.declare.Arrival`, which this package does not know."""

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
