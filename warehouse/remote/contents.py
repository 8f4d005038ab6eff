"""What one release is, as the store has it: the pointer that names it, and the files that make it.

    releases/current.json                  {"release", "oldest", "manifest_sha256", "contents", "checked"}
    releases/0000000042/contents.<sha256>  {"release", "files": […], "index": […], "ledger": […]}
    releases/0000000042/<sha256>           a file of the release
    ledger/<sha256>                        a segment of the ledger, or its read index

The pointer is written last, and on the condition that it is still the one that was read: what it does not name is
not there for anybody. Does not belong here: sending and fetching (`releases`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from warehouse import manifests, segments
from warehouse.manifests import MANIFEST, NAMES, SERVING, WAREHOUSE
from warehouse.paths import Layout, numbered
from warehouse.remote.failures import Damaged
from warehouse.remote.parcels import Parcel, Sums, as_json

POINTER: Final = "releases/current.json"
LEDGER: Final = "ledger"
# The manifest last, for it makes the folder a release; editions before had no file of names.
_EDITIONS: Final = ((WAREHOUSE, SERVING, NAMES, MANIFEST), (WAREHOUSE, SERVING, MANIFEST))
_SEGMENT: Final = re.compile(r"ledger/[0-9]{10}\.(?:parquet|sqlite)")


def release_area(number: int) -> str:
    """The folder of a release in the store."""
    return f"releases/{numbered(number)}"


@dataclass(frozen=True, slots=True)
class Pointer:
    """The newest release of all machines.

    oldest: none that is older may stay anywhere, for what is erased may be in it. checked: what `Layout.checked`
    holds, null before any run noted it.
    """

    release: int
    oldest: int
    manifest_sha256: str
    contents: str
    checked: Mapping[str, Any] | None

    def as_bytes(self) -> bytes:
        """As the store holds it."""
        value = {
            "release": self.release,
            "oldest": self.oldest,
            "manifest_sha256": self.manifest_sha256,
            "contents": self.contents,
            "checked": self.checked,
        }
        return json.dumps(value, ensure_ascii=False, indent=1).encode()

    @classmethod
    def parse(cls, content: bytes) -> Self:
        try:
            value = json.loads(content)
            release, oldest = int(value["release"]), int(value["oldest"])
            return cls(release, oldest, value["manifest_sha256"], str(value["contents"]), value["checked"])
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(f"{POINTER} of the store is not a pointer to a release: {error!r}") from None


@dataclass(frozen=True, slots=True)
class Contents:
    """The files of one release.

    index: the segments of the ledger as `segments.INDEX` lists them; ledger: their files.
    """

    release: int
    files: tuple[Parcel, ...]
    index: tuple[Mapping[str, int], ...]
    ledger: tuple[Parcel, ...]

    @classmethod
    def of(cls, layout: Layout, number: int, sums: Sums) -> Self:
        """A release as it lies on this machine."""
        below = layout.release(number).relative_to(layout.root).as_posix()
        files = _EDITIONS[NAMES not in manifests.read(layout, number).sizes]
        entries = segments.read_index(layout.ledger)
        paths = [
            path(layout.ledger, entry.release).relative_to(layout.root).as_posix()
            for entry in entries
            for path in (segments.segment_path, segments.lookup_path)
        ]
        return cls(
            number,
            tuple(sums.parcel(f"{below}/{name}") for name in files),
            tuple({"release": entry.release, "first": entry.first, "last": entry.last} for entry in entries),
            tuple(sums.parcel(path) for path in paths),
        )

    def as_bytes(self) -> bytes:
        """As the store holds it."""
        value = {
            "release": self.release,
            "files": as_json(self.files),
            "index": list(self.index),
            "ledger": as_json(self.ledger),
        }
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    def key(self) -> str:
        """Where the document lies: its name tells its bytes."""
        return f"{release_area(self.release)}/contents.{hashlib.sha256(self.as_bytes()).hexdigest()}"

    @classmethod
    def parse(cls, key: str, content: bytes) -> Self:
        """Damaged when it is not what its key says."""
        if hashlib.sha256(content).hexdigest() != key.rpartition(".")[2]:
            raise Damaged(
                f"{key} of the store is not what was put there: publish again (`firm release push`)"
            )
        value = json.loads(content)
        made = cls(
            int(value["release"]),
            tuple(map(Parcel.parse, value["files"])),
            tuple(_entry(entry) for entry in value["index"]),
            tuple(map(Parcel.parse, value["ledger"])),
        )
        below = release_area(made.release)
        due = [[f"{below}/{name}" for name in files] for files in _EDITIONS]
        if [parcel.name for parcel in made.files] not in due or not all(map(_is_of_ledger, made.ledger)):
            raise Damaged(f"{key} of the store lists files that are not of a release: {due[0]} are due")
        return made

    def placed(self) -> Sequence[tuple[str, Parcel]]:
        """Every file with its area, in the order in which they may appear on a machine."""
        ledger = [(LEDGER, parcel) for parcel in self.ledger]
        return [*ledger, *((release_area(self.release), parcel) for parcel in self.files)]


def _is_of_ledger(parcel: Parcel) -> bool:
    return _SEGMENT.fullmatch(parcel.name) is not None


def _entry(entry: Mapping[str, Any]) -> Mapping[str, int]:
    return {name: int(entry[name]) for name in ("release", "first", "last")}
