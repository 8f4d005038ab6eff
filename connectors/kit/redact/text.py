"""Opens the text that a redaction searches: unpacked if gzip, rejected if its content is hidden.

Does not belong here: which parts of a text are removed, archives of several files (each dataset's own `redact`).
"""

from __future__ import annotations

import io
from functools import partial
from typing import BinaryIO, Final, cast

from connectors.kit.archive import members
from connectors.kit.archive.bounded_stream import ArchiveError
from connectors.kit.formats import HEAD, BodyFormat, detect_body_format
from connectors.kit.redact.streams import non_closing

_NAME: Final = "the body"
_TEXTS: Final = frozenset({BodyFormat.JSON, BodyFormat.HTML, BodyFormat.XML, BodyFormat.TEXT, BodyFormat.EMPTY})


def open_text(body: BinaryIO) -> BinaryIO:
    """The text of a body, which stays open.

    Raises ArchiveError if it is not text (a zip, gzip within gzip, a PDF); reading raises it if gzip is
    truncated.
    """
    found = cast("io.BufferedReader", members.open_gunzipped(partial(non_closing, body), _NAME))
    hidden = non_text_reason(found.peek(HEAD))
    if hidden is not None:
        raise ArchiveError(_NAME, None, hidden)
    return found


def read_text(body: BinaryIO, max_bytes: int) -> bytes:
    """The whole text of a body. Raises ArchiveError as `open_text` and its reading do, and above `max_bytes` bytes."""
    with open_text(body) as found:
        read = found.read(max_bytes + 1)
    if len(read) > max_bytes:
        raise ArchiveError(_NAME, None, f"more than {max_bytes} bytes")
    return read


def non_text_reason(body: bytes) -> str | None:
    """Reason the body is not text (so it cannot be redacted), or None. UTF-16 counts as text."""
    kind = detect_body_format(body[:HEAD].replace(b"\x00", b""))
    return None if kind in _TEXTS else f"expected text, found {kind.value}"
