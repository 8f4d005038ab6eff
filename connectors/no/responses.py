"""Classifies a response of the registry by its first bytes: page, element, error body, or something else.

Belongs here: looking at the head of a body without parsing all of it. Does not belong here: reading records.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final

from connectors.kit import staging

if TYPE_CHECKING:
    from connectors.contract.dataset import ArchiveMember

MARK: Final = b"\xef\xbb\xbf"  # UTF-8 byte order mark; JSON decoders reject it
_GZIP: Final = b"\x1f\x8b"
_HEAD: Final = 65_536
_STATUS: Final = re.compile(rb'"status"\s*:\s*"?([1-5][0-9]{2})"?')
_KEY: Final = re.compile(r'"([^"\\]+)"\s*:')
TOO_MANY: Final = re.compile(rb"\s*too many requests", re.IGNORECASE)


def open_without_bom(member: ArchiveMember) -> BinaryIO:
    """Opens a piece as decompressed bytes, after the UTF-8 byte order mark if there is one."""
    body = staging.open_plain(member)
    if body.read(len(MARK)) == MARK:
        return body
    body.close()
    return staging.open_plain(member)


def plain_head(head: bytes) -> bytes:
    """The first decompressed bytes: a download may be a gzip file or use gzip as content encoding."""
    if not head.startswith(_GZIP):
        return head.removeprefix(MARK)
    try:
        return zlib.decompressobj(wbits=31).decompress(head, _HEAD).removeprefix(MARK)
    except zlib.error:
        return head


def top_keys(head: bytes) -> frozenset[str] | None:
    """Top-level keys of a JSON object; of an object cut off at the head's end, all keys seen.

    None: not an object.
    """
    if not head.lstrip().startswith(b"{"):
        return None
    text = head.decode(errors="replace")
    try:
        return frozenset(json.loads(text))
    except (ValueError, RecursionError):
        return frozenset(_KEY.findall(text))


def error_status(head: bytes) -> int | None:
    """The status in an error body `{timestamp, status, error, message, path, trace}`; None for other bodies."""
    keys = top_keys(head)
    if keys is None or "organisasjonsnummer" in keys or not {"status", "error"} <= keys:
        return None
    found = _STATUS.search(head)
    return int(found.group(1)) if found else None


def is_search_page(head: bytes) -> bool:
    """True for a page of search results (HAL)."""
    keys = top_keys(head)
    return keys is not None and "_links" in keys and ("_embedded" in keys or "page" in keys)
