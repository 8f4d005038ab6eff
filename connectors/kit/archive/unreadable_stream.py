"""Stream wrapper that converts ArchiveError into Unreadable, so that connectors need no try around each `read`."""

from __future__ import annotations

import io
from typing import BinaryIO, Final

from connectors.contract.dataset import UnreadableFileError
from connectors.kit.archive.bounded_stream import ArchiveError

_BLOCK: Final = 1 << 18


class _UnreadableStream(io.RawIOBase):
    def __init__(self, source: BinaryIO, dataset: str, name: str) -> None:
        self._source = source
        self._dataset = dataset
        self._name = name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        try:
            data = self._source.read(min(len(buffer), _BLOCK))  # reads a block, not the buffer's size
        except ArchiveError as error:
            raise UnreadableFileError(self._dataset, self._name, str(error)) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._source.close()
        super().close()


def archive_errors_as_unreadable(source: BinaryIO, dataset: str, name: str) -> BinaryIO:
    """`source`, with ArchiveError converted into Unreadable. A seekable file (memory or disk) stays unchanged."""
    if source.seekable():
        return source
    return io.BufferedReader(_UnreadableStream(source, dataset, name), _BLOCK)
