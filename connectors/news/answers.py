"""Answers of wires in JSON, bounded, and refused by name where they are something else.

Belongs here: what MFN and Cision share. Does not belong here: items one by one (`items`), feeds in XML (`feeds`).
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
    """The JSON of a piece. `what` was due, as messages call it («a stream of items»). Raises Unreadable."""
    with staged.opened(piece) as stream:
        body = stream.read(LARGEST + 1)
    if len(body) > LARGEST:
        raise Unreadable(piece.dataset, piece.name, f"{what} of more than {LARGEST >> 20} MiB")
    try:
        return msgspec.json.decode(body)
    except MALFORMED as error:
        due = f"{what} in JSON was due, not {sniff(body).value}"
        raise Unreadable(piece.dataset, piece.name, f"{due} ({error}): ask again later") from None
