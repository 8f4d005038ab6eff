"""Interface of what the archive stores.

Does not belong here: where it comes from (`connectors.contract.dataset.FetchedFile`, `pipelines.sources.source`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, BinaryIO, Protocol


class FetchedFileLike(Protocol):
    """A fetched body with metadata, shaped like `connectors.contract.dataset.FetchedFile`."""

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
    def http_status(self) -> int | None: ...
    @property
    def response_headers(self) -> Mapping[str, str] | None: ...
