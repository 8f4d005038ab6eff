"""Manifests of RAW in a market's state: stretches of their lines, so that a send has the last lines only.

A stretch is an object of zstd, named `archive/manifest/<dataset>.jsonl@<lines>@<bytes>` in the state: which lines it
has, and where they lie in the file. Where stretches end follows from the number of lines (`cut_stretches`). Does not
belong here: what lines say (`raw.archive`), or requests to the store (`market_state`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, Self

import zstandard

from warehouse.market_index.manifests import ManifestPosition
from warehouse.replication.blobs import BlobRef
from warehouse.replication.errors import CorruptObjectError
from warehouse.replication.market_contents import ADVICE, cut_stretches, pack_bytes, require_joined
from warehouse.storage import atomic_files

_NAME: Final = re.compile(r"(.+\.jsonl)@([0-9]+)-([0-9]+)@([0-9]+)-([0-9]+)")
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines `first` to `end` (exclusive) of a manifest, which are its bytes `start` to `stop`, as one object."""

    manifest: str
    first: int
    end: int
    start: int
    stop: int
    blob: BlobRef

    @classmethod
    def parse(cls, blob: BlobRef) -> Self:
        """The stretch that a name of the state is."""
        found = _NAME.fullmatch(blob.name)
        if found is None:
            raise CorruptObjectError(f"the object store lists an invalid stretch of a manifest: {blob.name[:200]!r}")
        first, end, start, stop = (int(number) for number in found.groups()[1:])
        return cls(found[1], first, end, start, stop, blob)


def manifest_of(name: str) -> str:
    """The name of the manifest to which a name of the state belongs."""
    found = _NAME.fullmatch(name)
    return name if found is None else found[1]


def is_stretch(name: str) -> bool:
    """True for the name of a stretch of a manifest."""
    return _NAME.fullmatch(name) is not None


def ordered_stretches(files: Iterable[BlobRef]) -> list[Stretch]:
    """Stretches in the order of their lines; raises CorruptObjectError if one is missing between them."""
    found = sorted(map(Stretch.parse, files), key=lambda one: one.first)
    manifest = found[0].manifest if found else ""
    require_joined(manifest, ((one.first, one.end) for one in found))
    require_joined(manifest, ((one.start, one.stop) for one in found))
    return found


def lines_between(path: Path, known: ManifestPosition, now: ManifestPosition) -> Iterator[bytes]:
    """The lines of a manifest after a known position."""
    if known == now:
        return
    with path.open("rb") as handle:
        handle.seek(known.end)
        yield from islice(handle, now.lines - known.lines)


def is_continued(path: Path, known: ManifestPosition, now: ManifestPosition) -> bool:
    """True if a manifest begins with the lines that were known: their digest with the later lines is that of all."""
    if known.lines > now.lines or known.end > now.end:
        return False
    for line in lines_between(path, known, now):
        known = known.followed_by(line)
    return known == now


def make_stretches(
    path: Path, manifest: str, now: ManifestPosition, known: Sequence[Stretch], folder: Path
) -> list[Stretch]:
    """The stretches of a manifest; objects of those that are not known are written to `folder`, by SHA-256."""
    same = {(one.first, one.end): one for one in known}
    made: list[Stretch] = []
    if not now.lines:
        return made
    with path.open("rb") as handle:
        for first, end in cut_stretches(now.lines):
            start = made[-1].stop if made else 0
            found = same.get((first, end))
            made.append(found or _make_stretch(handle, manifest, (first, end, start), folder))
    return made


def _make_stretch(handle: BinaryIO, manifest: str, at: tuple[int, int, int], folder: Path) -> Stretch:
    first, end, start = at
    handle.seek(start)
    lines = b"".join(islice(handle, end - first))
    content = pack_bytes(lines)
    sha256 = hashlib.sha256(content).hexdigest()
    atomic_files.make_folder(folder)
    (folder / sha256).write_bytes(content)
    stop = start + len(lines)
    name = f"{manifest}@{first}-{end}@{start}-{stop}"
    return Stretch(manifest, first, end, start, stop, BlobRef(name, len(content), sha256))


def require_whole(stretch: Stretch, path: Path) -> None:
    """Raises CorruptObjectError unless an object has the lines of its stretch."""
    size, breaks, last = 0, 0, b""
    try:
        for chunk in unpacked_chunks(path):
            size, breaks, last = size + len(chunk), breaks + chunk.count(b"\n"), chunk[-1:]
    except zstandard.ZstdError as error:
        raise CorruptObjectError(
            f"{stretch.blob.sha256} ({stretch.blob.name}) is not zstd ({error}): {ADVICE}"
        ) from None
    if (size, breaks, last) != (stretch.stop - stretch.start, stretch.end - stretch.first, b"\n"):
        raise CorruptObjectError(
            f"{stretch.blob.sha256} ({stretch.blob.name}) has {breaks} lines in {size} bytes: {ADVICE}"
        )


def unpacked_chunks(path: Path) -> Iterator[bytes]:
    """The lines of a stretch's object, in chunks."""
    with path.open("rb") as source, zstandard.ZstdDecompressor().stream_reader(source) as plain:
        while chunk := plain.read(_CHUNK):
            yield chunk


def overwrite_from(path: Path, start: int, chunks: Iterable[bytes]) -> None:
    """Makes a file end with `chunks` from a byte on; bytes that are there already are not written again."""
    with path.open("r+b") as handle:
        handle.seek(start)
        is_same = True
        for chunk in chunks:
            there = handle.read(len(chunk)) if is_same else b""
            if is_same and there != chunk:
                is_same = False
                kept = len(there) if chunk.startswith(there) else 0
                handle.seek(handle.tell() - len(there) + kept)
                handle.truncate()
                handle.write(chunk[kept:])
            elif not is_same:
                handle.write(chunk)
        handle.truncate()
        handle.flush()
        atomic_files.sync_file(path)


@dataclass(frozen=True, slots=True)
class ManifestChange:
    """What makes a manifest that of a state: it keeps its first bytes, then come the stretches that it lacks."""

    path: Path
    kept_bytes: int
    lacking: tuple[Stretch, ...]

    @classmethod
    def of(cls, path: Path, now: ManifestPosition, known: Sequence[Stretch], wanted: Sequence[Stretch]) -> Self | None:
        """The change of a manifest that begins with known stretches; None if it is as wanted."""
        kept = 0
        while kept < min(len(known), len(wanted)) and known[kept] == wanted[kept]:
            kept += 1
        reached = wanted[kept - 1].stop if kept else 0
        if kept == len(wanted) and now.end == reached:
            return None
        return cls(path, reached, tuple(wanted[kept:]))

    def apply(self, folder: Path) -> None:
        """Writes the manifest; the objects of the stretches lie in a folder, by SHA-256."""
        chunks = (chunk for one in self.lacking for chunk in unpacked_chunks(folder / one.blob.sha256))
        if self.kept_bytes:
            overwrite_from(self.path, self.kept_bytes, chunks)
        elif self.lacking:
            atomic_files.make_folder(self.path.parent)
            built = atomic_files.temporary_path(self.path)
            with built.open("wb") as target:
                target.writelines(chunks)
            atomic_files.publish_file(built, self.path)
        else:
            atomic_files.delete_if_exists(self.path)
