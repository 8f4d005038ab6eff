"""Decodes JSON responses of wires, with a size limit and a clear error for other content.

Belongs here: code shared by MFN and Cision. Does not belong here: single items (`items`), feeds in XML
(`feeds`).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from connectors.declare import Piece, Unreadable
from connectors.kit import staged
from connectors.kit.chunks import MALFORMED
from connectors.kit.formats import sniff

LARGEST: Final = 64 << 20


def decoded(piece: Piece, what: str) -> Any:
    """Decodes the JSON of a piece. `what` names the expected content («a stream of items»). Raises Unreadable."""
    with staged.opened(piece) as stream:
        body = stream.read(LARGEST + 1)
    if len(body) > LARGEST:
        raise Unreadable(piece.dataset, piece.name, f"{what} of more than {LARGEST >> 20} MiB")
    try:
        return msgspec.json.decode(body)
    except MALFORMED as error:
        due = f"expected {what} in JSON, not {sniff(body).value}"
        raise Unreadable(piece.dataset, piece.name, f"{due} ({error}): try again later") from None
