"""The pointer to the current release, and deleting older ones, where files and their system are not at their best."""

from __future__ import annotations

import errno
import fcntl
import os
from typing import Any

import pytest

from tests.warehouse.world import learn, member, publish
from warehouse.publish.publisher import ReleaseStore
from warehouse.release import manifest
from warehouse.release.manifest import InvalidReleaseError
from warehouse.storage.layout import Layout

FLOCK = fcntl.flock


def flock_of_nfs(handle: Any, operation: int) -> None:
    """As Linux does it on NFS, by locks of ranges: an exclusive one needs a file that is open for writing."""
    number = handle if isinstance(handle, int) else handle.fileno()
    mode = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE
    if operation & fcntl.LOCK_EX and mode == os.O_RDONLY:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    FLOCK(handle, operation)


def test_prune_on_nfs_deletes_older_releases(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(2):
        learn(layout, "NO", at, companies=[member("NO", 1, employees=at)])
        publish(layout, "NO", at=at)
    monkeypatch.setattr(fcntl, "flock", flock_of_nfs)
    assert ReleaseStore(layout).prune_releases(1) == [1]
    assert manifest.release_numbers(layout) == [2]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"release": 1}', '{"release": "x", "manifest_sha256": ""}'])
def test_pointer_that_is_damaged_is_named(layout: Layout, content: str) -> None:
    layout.release_pointer_file.parent.mkdir(parents=True)
    layout.release_pointer_file.write_text(content)
    with pytest.raises(InvalidReleaseError, match=r"current\.json is damaged .*: restore it"):
        manifest.served_manifest(layout)
