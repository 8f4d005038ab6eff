"""Reading of a release that there may be none of.

Does not belong here: what is read of a release (`warehouse.reader.reader`).
"""

from collections.abc import Callable
from typing import TypeVar

from warehouse.reader.reader import NoReleaseError, PinnedRelease, ReleaseReader

T = TypeVar("T")


def read_release(reader: ReleaseReader, read: Callable[[PinnedRelease], T]) -> T | None:
    """What `read` finds in the current release; None before the first."""
    try:
        with reader.pin_release() as snapshot:
            return read(snapshot)
    except NoReleaseError:
        return None
