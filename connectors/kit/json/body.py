"""Bodies that are read whole, as a single response or a page, and their single members.

Does not belong here: larger bodies (`chunks`, `structs`), or objects whose every key is known (`record`).
"""

from __future__ import annotations

import codecs
from typing import Any

import msgspec

from connectors.contract.pieces import ArchiveMember
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.staging import open_plain


def read_body(member: ArchiveMember, limit: int) -> bytes:
    """The plain bytes, at most `limit`, without the byte order mark."""
    with open_plain(member) as body:
        return body.read(limit).removeprefix(codecs.BOM_UTF8)


def decode_body(member: ArchiveMember, body: bytes, complaint: str = "JSON that does not parse") -> Any:
    """The value of a body. Raises UnreadableFileError, which begins with the complaint."""
    try:
        return msgspec.json.decode(body)
    except MALFORMED as error:
        raise member.unreadable_error(f"{complaint}: {error}") from error


def member_at(value: Any, *path: str) -> Any:
    """The member at a path of keys; None where an object or key is missing."""
    for step in path:
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value


def stripped_text(value: object) -> str | None:
    """A text without blanks around it; None for an empty one and for other values."""
    return value.strip() or None if isinstance(value, str) else None
