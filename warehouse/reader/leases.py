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

from warehouse.reader.reader import NoReleaseError
from warehouse.release import manifest as release_manifest
from warehouse.release.manifest import MANIFEST, InvalidReleaseError, ReleaseManifest
from warehouse.serving import codec_read
from warehouse.storage.layout import Layout

_TRIES: Final = 5  # a release may be pruned between reading the pointer and taking the lease


@dataclass(frozen=True, slots=True)
class LeasedRelease:
    """A release that is kept until the block ends, and a connection to the API's database."""

    manifest: ReleaseManifest
    serving: sqlite3.Connection


@contextmanager
def leased_release(layout: Layout) -> Iterator[LeasedRelease]:
    """Leases the newest release. Raises NoReleaseError before the first, InvalidReleaseError if it is damaged."""
    manifest, lease = _acquire_lease(layout)
    with lease, closing(_open_documents(layout, manifest)) as serving:
        yield LeasedRelease(manifest, serving)


def unreadable_release_error(manifest: ReleaseManifest, error: sqlite3.Error) -> InvalidReleaseError:
    """The error for a damaged release."""
    return InvalidReleaseError(f"release {manifest.release} cannot be read: {error}; see `firm release verify`")


def _open_documents(layout: Layout, manifest: ReleaseManifest) -> sqlite3.Connection:
    try:
        return codec_read.open_documents(layout.release_folder(manifest.release), manifest.segments)
    except sqlite3.Error as error:
        raise unreadable_release_error(manifest, error) from error


def _acquire_lease(layout: Layout) -> tuple[ReleaseManifest, IO[bytes]]:
    for _ in range(_TRIES):
        manifest = release_manifest.served_manifest(layout)
        if manifest is None:
            raise NoReleaseError("no release yet: run `firm ingest`")
        path = layout.release_folder(manifest.release) / MANIFEST
        with suppress(FileNotFoundError, BlockingIOError), ExitStack() as opened:
            lease = opened.enter_context(path.open("rb"))
            fcntl.flock(lease, fcntl.LOCK_SH | fcntl.LOCK_NB)  # fails if it is being removed
            if path.exists():  # else it was removed before the lock was acquired
                opened.pop_all()
                return manifest, lease
    raise InvalidReleaseError(f"{layout.release_pointer_file} names a release that cannot be opened")
