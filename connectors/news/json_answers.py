"""Decodes JSON responses of wires, with a size limit and a clear error for other content.

Belongs here: code shared by MFN and Cision. Does not belong here: single items (`items`), feeds in XML
(`feeds`).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from connectors.contract.dataset import ArchiveMember, UnreadableFileError
from connectors.kit import staging
from connectors.kit.formats import detect_body_format
from connectors.kit.json.chunks import MALFORMED

LARGEST: Final = 64 << 20


def decode_member(member: ArchiveMember, description: str) -> Any:
    """Decodes the JSON of a piece. `description` names the expected content («a stream of items»).

    Raises UnreadableFileError.
    """
    with staging.open_plain(member) as stream:
        body = stream.read(LARGEST + 1)
    if len(body) > LARGEST:
        raise UnreadableFileError(member.dataset, member.name, f"{description} of more than {LARGEST >> 20} MiB")
    try:
        return msgspec.json.decode(body)
    except MALFORMED as error:
        due = f"expected {description} in JSON, not {detect_body_format(body).value}"
        raise UnreadableFileError(member.dataset, member.name, f"{due} ({error}): try again later") from None
