"""Opens golden copies as published: one file in a zip, of any format and level.

Belongs here: the one member's bytes, bounded. Does not belong here: their content (`bodies`,
`table_edition`).
"""

from __future__ import annotations

import io
from contextlib import ExitStack
from typing import BinaryIO, Final, cast

from connectors.declare import Piece
from connectors.kit import staged
from connectors.kit.formats import HEAD, Format, sniff
from connectors.kit.guarded import BROKEN, guarded, seekable
from connectors.kit.unreadable import translated
from connectors.kit.zips import Archive

LARGEST: Final = 64 << 30  # bytes; level 1 as XML has more than 8 GB
_IN_MEMORY: Final = 64 << 20


class NotOneFile(Exception):  # noqa: N818 - named for what it says of an archive
    """A zip that is damaged, encrypted, or contains other than one file."""


def plain(piece: Piece) -> BinaryIO:
    """The plain bytes of a piece. Raises NotOneFile; reading damaged data raises Unreadable."""
    return translated(unpacked(staged.opened(piece), piece.name), piece.dataset, piece.name)


def unpacked(body: BinaryIO, name: str) -> BinaryIO:
    """The plain bytes of a body, zip or not; closing them closes the body.

    Raises NotOneFile; reading raises ArchiveError.
    """
    head = body.read(HEAD)
    whole = cast("BinaryIO", io.BufferedReader(_Rejoined(head, body), 1 << 20))
    if sniff(head) is not Format.ZIP:
        return whole
    with ExitStack() as opened:
        try:
            spool = opened.enter_context(seekable(whole, _IN_MEMORY))
            archive = opened.enter_context(Archive(spool))
            files = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(files) != 1:
                raise NotOneFile(f"expected an archive with one file, found {len(files)}")
            member = archive.open(files[0])
        except BROKEN as error:
            raise NotOneFile(f"an archive that does not open: {error}") from error
        return guarded(member, name, files[0].filename, LARGEST, owned=_Owned(opened.pop_all()))


class _Owned:
    """The archive and stream of an opened member, closed with it."""

    def __init__(self, opened: ExitStack) -> None:
        self._opened = opened

    def read(self, size: int, /) -> bytes:
        """Returns nothing: only the member is read."""
        del size
        return b""

    def close(self) -> None:
        """Closes the archive and its bytes."""
        self._opened.close()


class _Rejoined(io.RawIOBase):
    """A body with its already read first bytes put back."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        super().__init__()
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        found = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(found) :]
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._rest.close()
        super().close()
