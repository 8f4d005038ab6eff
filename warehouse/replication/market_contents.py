"""Documents of a market's state in the object store: a short list of parts, and the parts.

    contents.<sha256>   {"version", "parts": [[first, end, size, sha256], …], "beside"}
    <sha256>            a part: zstd of JSON lines, ["name", size, "sha256"] for a file, ["name"] for one that went

The parts, one after another, are a log of changes: what the last change of a name says holds. Sending appends changes
and never rewrites earlier ones. Where a part ends follows from the number of changes alone (`cut_stretches`), so that
a send writes the last parts only. Does not belong here: which files a market has (`market_files`), or sending them
(`market_state`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self

import zstandard

from warehouse.replication import blobs
from warehouse.replication.blobs import BlobRef
from warehouse.replication.errors import CorruptObjectError

STRETCHES: Final = (65_536, 4_096, 256)  # elements; what is left makes one of its own
ADVICE: Final = (
    "restore the bucket; or remove head.json there and run `firm ingest` on the machine that ran this market last, "
    "which sends all that it has again"
)
_LEVEL: Final = 3  # zstd
_PART_BYTES: Final = 256 << 20  # at most, of a part's JSON lines: 65,536 long names are a fifth of it


class FileChange(NamedTuple):
    """What a log says of a name: the file it has from then on, or None if it has gone."""

    name: str
    file: BlobRef | None


def cut_stretches(count: int) -> Iterator[tuple[int, int]]:
    """Cuts `count` elements into stretches (first, end): few large ones, then at most 15 of each smaller size.

    More elements only join the last stretches or follow them: a stretch for `count` is whole within one for more.
    """
    first = 0
    for size in STRETCHES:
        while count - first >= size:
            yield first, first + size
            first += size
    if first < count:
        yield first, count


def pack_bytes(content: bytes) -> bytes:
    """Content as zstd, always the same for the same version of the library."""
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(content)


@dataclass(frozen=True, slots=True)
class StatePart:
    """A part: changes `first` to `end` (exclusive) of the log, and the object that lists them."""

    first: int
    end: int
    size: int
    sha256: str

    @property
    def blob(self) -> BlobRef:
        """The object."""
        return BlobRef(f"part/{self.first}-{self.end}", self.size, self.sha256)

    @classmethod
    def parse(cls, value: Sequence[Any]) -> Self:
        """Parses an entry of a list of parts."""
        first, end, size, sha256 = value
        made = cls(int(first), int(end), int(size), str(sha256))
        BlobRef.parse({"name": "part", "size": made.size, "sha256": made.sha256})
        return made

    @classmethod
    def of(cls, first: int, changes: Sequence[FileChange]) -> tuple[Self, bytes]:
        """A part that begins at `first`, and its object."""
        told = ([one.name] if one.file is None else [one.name, one.file.size, one.file.sha256] for one in changes)
        lines = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in told)
        content = pack_bytes(lines.encode())
        return cls(first, first + len(changes), len(content), hashlib.sha256(content).hexdigest()), content

    def changes(self, key: str, content: bytes) -> list[FileChange]:
        """Parses the object; raises CorruptObjectError, with its key, if it is not what was uploaded."""
        if len(content) != self.size or hashlib.sha256(content).hexdigest() != self.sha256:
            raise CorruptObjectError(f"{key} of the object store has changed since its upload: {ADVICE}")
        try:
            lines = zstandard.ZstdDecompressor().decompress(content, max_output_size=_PART_BYTES).splitlines()
            found = [_parse_change(json.loads(line)) for line in lines]
        except (zstandard.ZstdError, ValueError, TypeError) as error:
            raise CorruptObjectError(
                f"{key} of the object store is not a part of a state ({error}): {ADVICE}"
            ) from None
        if len(found) != self.end - self.first:
            raise CorruptObjectError(
                f"{key} of the object store has {len(found)} changes, not {self.end - self.first}: {ADVICE}"
            )
        return found


def _parse_change(value: Sequence[Any]) -> FileChange:
    if len(value) == 1:
        return FileChange(str(value[0]), None)
    name, size, sha256 = value
    return FileChange(str(name), BlobRef.parse({"name": name, "size": size, "sha256": sha256}))


@dataclass(frozen=True, slots=True)
class MarketContents:
    """The parts of a market's state, and its entries in other files of a data root (`beside`, JSON).

    earlier_files: all files, in a document of an earlier version, which has no parts.
    """

    version: int
    parts: tuple[StatePart, ...]
    beside: Mapping[str, Any]
    earlier_files: tuple[BlobRef, ...] = field(default=())

    @property
    def changes(self) -> int:
        """Number of changes in the log."""
        return self.parts[-1].end if self.parts else 0

    def as_bytes(self) -> bytes:
        """The document as JSON for the store."""
        parts = [[one.first, one.end, one.size, one.sha256] for one in self.parts]
        value = {"version": self.version, "parts": parts, "beside": self.beside}
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def parse(cls, key: str, content: bytes) -> Self:
        """Parses and checks a document; raises CorruptObjectError if its hash differs from its key."""
        blobs.require_content_key(key, content, ADVICE)
        try:
            value = json.loads(content)
            version, beside = int(value["version"]), value["beside"]
            if "parts" not in value:
                return cls(version, (), beside, tuple(map(BlobRef.parse, value["files"])))
            parts = tuple(map(StatePart.parse, value["parts"]))
        except (ValueError, KeyError, TypeError) as error:
            raise CorruptObjectError(
                f"{key} of the object store is no state of a market ({error!r}): {ADVICE}"
            ) from None
        require_joined(key, ((one.first, one.end) for one in parts))
        return cls(version, parts, beside)

    def shared_parts(self, others: Sequence[StatePart]) -> int:
        """Number of changes in the first parts that are the same in another list."""
        end = 0
        for ours, theirs in zip(self.parts, others, strict=False):
            if ours != theirs:
                break
            end = ours.end
        return end


def require_joined(key: str, stretches: Iterable[tuple[int, int]]) -> None:
    """Raises CorruptObjectError unless stretches follow each other from 0 without a gap."""
    reached = 0
    for first, end in stretches:
        if first != reached or end <= first:
            raise CorruptObjectError(
                f"{key} of the object store lacks what lies between {reached} and {first}: {ADVICE}"
            )
        reached = end
