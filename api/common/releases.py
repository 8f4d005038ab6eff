"""Releases as the service reads them: the part of the reader that routes use, and reading that may find none.

Does not belong here: what is read of a release (`warehouse.reader.reader`).
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from warehouse.reader.reader import NoReleaseError, PinnedRelease
from warehouse.release.freshness import Freshness
from warehouse.release.run_log import RunNote
from warehouse.schema.retractions import BatchRetraction

T = TypeVar("T")


class ReleaseSource(Protocol):
    """The part of `warehouse.reader.reader.ReleaseReader` that routes use."""

    def pin_release(self) -> AbstractContextManager[PinnedRelease]: ...

    def read_freshness(self) -> Freshness: ...

    def read_run_log(self) -> list[RunNote]: ...

    def read_retractions(self) -> list[BatchRetraction]: ...


def read_release(reader: ReleaseSource, read: Callable[[PinnedRelease], T]) -> T | None:
    """What `read` finds in the current release; None before the first."""
    try:
        with reader.pin_release() as snapshot:
            return read(snapshot)
    except NoReleaseError:
        return None
