"""Release manifest of the object store: the pointer to the newest release, and the files of a release.

    releases/current.json                  {"release", "oldest", "manifest_sha256", "contents", "checked", "token"}
    releases/0000000042/contents.<sha256>  {"release", "files": […], "index": […], "ledger": […]}
    releases/0000000042/<sha256>           its manifest; all files of a release of an earlier version
    segments/<sha256>                      a segment's file, whichever releases have it
    ledger/<sha256>                        a segment of the ledger, or its read index

The pointer is written last, by compare-and-swap: whatever it does not name does not exist for readers. Does not
belong here: sending and fetching (`releases`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from warehouse.ledger import read_index
from warehouse.release import manifest
from warehouse.release.manifest import MANIFEST, InvalidReleaseError
from warehouse.release.segments import EARLIER_FILES, address_of, is_segment_file
from warehouse.replication.blobs import BlobRef, HashCache, content_key, require_content_key
from warehouse.replication.errors import CorruptObjectError
from warehouse.storage.layout import Layout, padded_number

POINTER: Final = "releases/current.json"
LEDGER: Final = "ledger"
SEGMENTS: Final = "segments"
_SAID: Final = 300  # characters of names in a message
_SEGMENT: Final = re.compile(r"ledger/[0-9]{10}\.(?:parquet|sqlite)")


def release_area(number: int) -> str:
    """Key prefix of a release in the store."""
    return f"releases/{padded_number(number)}"


@dataclass(frozen=True, slots=True)
class ReleasePointer:
    """The newest release of all machines.

    oldest: all older releases must be deleted everywhere, as they may contain erased data. checked: content of
    `Layout.checked`, null before the first run. token: of the lease under which it was written (`lease`).
    """

    release: int
    oldest: int
    manifest_sha256: str
    contents: str
    checked: Mapping[str, Any] | None
    token: int = 0

    def as_bytes(self) -> bytes:
        """The pointer as JSON for the store."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1).encode()

    @classmethod
    def parse(cls, content: bytes) -> Self:
        try:
            value = json.loads(content)
            release, oldest = int(value["release"]), int(value["oldest"])
            digest, contents, token = value["manifest_sha256"], str(value["contents"]), int(value.get("token", 0))
            return cls(release, oldest, digest, contents, value["checked"], token)
        except (ValueError, KeyError, TypeError) as error:
            raise CorruptObjectError(
                f"{POINTER} of the object store is not a pointer to a release: {error!r}"
            ) from None


@dataclass(frozen=True, slots=True)
class ReleaseContents:
    """The files of one release.

    index: the segments of the ledger as listed in `segments.INDEX`; ledger: their files.
    """

    release: int
    files: tuple[BlobRef, ...]
    index: tuple[Mapping[str, int], ...]
    ledger: tuple[BlobRef, ...]

    @classmethod
    def of(cls, layout: Layout, number: int, hashes: HashCache) -> Self:
        """Describes a release on this machine."""
        below = layout.release_folder(number).relative_to(layout.root).as_posix()
        # the manifest last, as it makes the folder a release
        files = [
            hashes.describe_blob(f"{below}/{name}")
            for name in (*manifest.read_manifest(layout, number).sizes, MANIFEST)
        ]
        for file in files:
            if not _has_own_address(file):
                raise InvalidReleaseError(
                    f"release {number}: {layout.root / file.name} has changed since it was written: its SHA-256 is "
                    f"{file.sha256}; move it away and build a release from the histories (`firm ingest`)"
                )
        entries = read_index.read_segments(layout.ledger_folder)
        paths = [
            path(layout.ledger_folder, entry.release).relative_to(layout.root).as_posix()
            for entry in entries
            for path in (read_index.segment_path, read_index.lookup_path)
        ]
        return cls(
            number, tuple(files), tuple(map(asdict, entries)), tuple(hashes.describe_blob(path) for path in paths)
        )

    def as_bytes(self) -> bytes:
        """The document as JSON for the store."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":")).encode()

    def key(self) -> str:
        """Key of the document; contains its SHA-256."""
        return content_key(release_area(self.release), self.as_bytes())

    @classmethod
    def parse(cls, key: str, content: bytes) -> Self:
        """Parses and checks a document; raises CorruptObjectError if its hash differs from its key."""
        require_content_key(key, content, "publish again (`firm release push`)")
        try:
            value = json.loads(content)
            made = cls(
                int(value["release"]),
                tuple(map(BlobRef.parse, value["files"])),
                tuple(_parse_segment(entry) for entry in value["index"]),
                tuple(map(BlobRef.parse, value["ledger"])),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise CorruptObjectError(
                f"{key} of the object store is of another version of this software ({error!r}): run the same on every "
                "machine"
            ) from error
        below = f"{release_area(made.release)}/"
        is_release = (
            bool(made.files)
            and made.files[-1].name == below + MANIFEST
            and all(_is_release_file(below, parcel) for parcel in made.files[:-1])
        )
        if not is_release or not all(map(_is_ledger_file, made.ledger)):
            names = ", ".join(parcel.name for parcel in made.files)[:_SAID]
            raise CorruptObjectError(f"{key} of the object store must list the files of a release, not: {names}")
        return made

    def placed(self) -> Sequence[tuple[str, BlobRef]]:
        """Every file with its key prefix, in the order in which they may appear on a machine."""
        ledger = [(LEDGER, parcel) for parcel in self.ledger]
        return [*ledger, *self.placed_files()]

    def placed_files(self) -> Sequence[tuple[str, BlobRef]]:
        """The files of the release's folder with their key prefixes."""
        own = release_area(self.release)
        return [(SEGMENTS if is_segment_file(_last_part(file)) else own, file) for file in self.files]


def _last_part(parcel: BlobRef) -> str:
    return parcel.name.rpartition("/")[2]


def _has_own_address(parcel: BlobRef) -> bool:
    """True unless the name of a segment's file has another SHA-256."""
    name = _last_part(parcel)
    return not is_segment_file(name) or address_of(name) == parcel.sha256


def _is_release_file(below: str, parcel: BlobRef) -> bool:
    """True for a file of a segment in a release's folder, also of an earlier version."""
    name = _last_part(parcel)
    known = is_segment_file(name) or name in EARLIER_FILES.values()
    return known and parcel.name == below + name and _has_own_address(parcel)


def _is_ledger_file(parcel: BlobRef) -> bool:
    return _SEGMENT.fullmatch(parcel.name) is not None


def _parse_segment(entry: Mapping[str, Any]) -> Mapping[str, int]:
    return {name: int(entry[name]) for name in ("release", "first", "last")}
