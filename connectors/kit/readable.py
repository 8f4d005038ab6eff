"""Opens the text that a redaction searches: unpacked if gzip, rejected if its content is hidden.

Does not belong here: which parts of a text are removed, archives of several files (each dataset's own `redact`).
"""

from __future__ import annotations

import io
from functools import partial
from typing import BinaryIO, Final, cast

from connectors.kit import archives
from connectors.kit.formats import HEAD, Format, sniff
from connectors.kit.guarded import ArchiveError
from connectors.kit.streams import lent

_NAME: Final = "the body"
_TEXTS: Final = frozenset({Format.JSON, Format.HTML, Format.XML, Format.TEXT, Format.EMPTY})


def text(body: BinaryIO) -> BinaryIO:
    """The text of a body, which stays open.

    Raises ArchiveError if it is not text (a zip, gzip within gzip, a PDF); reading raises it if gzip is
    truncated.
    """
    found = cast("io.BufferedReader", archives.plain(partial(lent, body), _NAME))
    hidden = trouble(found.peek(HEAD))
    if hidden is not None:
        raise ArchiveError(_NAME, None, hidden)
    return found


def whole(body: BinaryIO, most: int) -> bytes:
    """The whole text of a body. Raises ArchiveError as `text` and its reading do, and above `most` bytes."""
    with text(body) as found:
        read = found.read(most + 1)
    if len(read) > most:
        raise ArchiveError(_NAME, None, f"more than {most} bytes")
    return read


def trouble(body: bytes) -> str | None:
    """Reason the body is not text (so it cannot be redacted), or None. UTF-16 counts as text."""
    kind = sniff(body[:HEAD].replace(b"\x00", b""))
    return None if kind in _TEXTS else f"expected text, found {kind.value}"
