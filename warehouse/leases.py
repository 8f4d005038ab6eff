"""Read lease on a release for long reads: pruning leaves the release alone.

For readers that read everything once; the API uses `reader`, which follows the pointer. Does not belong here:
queries.
"""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Final

from warehouse import manifests, packed
from warehouse.manifests import MANIFEST, SERVING, Manifest, Unsound
from warehouse.paths import Layout
from warehouse.reader import NoRelease

_TRIES: Final = 5  # a release may be pruned between reading the pointer and taking the lease


@dataclass(frozen=True, slots=True)
class Leased:
    """A release that is kept until the block ends, and a connection to the API's database."""

    manifest: Manifest
    serving: sqlite3.Connection


@contextmanager
def leased(layout: Layout) -> Iterator[Leased]:
    """Leases the newest release. Raises NoRelease before the first, Unsound if it is damaged."""
    manifest, lease = _hold(layout)
    with lease, closing(_opened(layout, manifest)) as serving:
        yield Leased(manifest, serving)


def unreadable(manifest: Manifest, error: sqlite3.Error) -> Unsound:
    """The error for a damaged release."""
    return Unsound(f"release {manifest.release} cannot be read: {error}; see `firm release verify`")


def _opened(layout: Layout, manifest: Manifest) -> sqlite3.Connection:
    try:
        return packed.opened(layout.release(manifest.release) / SERVING)
    except sqlite3.Error as error:
        raise unreadable(manifest, error) from error


def _hold(layout: Layout) -> tuple[Manifest, IO[bytes]]:
    for _ in range(_TRIES):
        manifest = manifests.current(layout)
        if manifest is None:
            raise NoRelease("no release yet: run `firm ingest`")
        path = layout.release(manifest.release) / MANIFEST
        with suppress(FileNotFoundError, BlockingIOError), ExitStack() as opened:
            lease = opened.enter_context(path.open("rb"))
            fcntl.flock(lease, fcntl.LOCK_SH | fcntl.LOCK_NB)  # fails if it is being removed
            if path.exists():  # else it was removed before the lock was acquired
                opened.pop_all()
                return manifest, lease
    raise Unsound(f"{layout.current} names a release that cannot be opened")
