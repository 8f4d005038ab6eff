"""Classifies a response of the registry by its first bytes: page, element, error body, or something else.

Belongs here: looking at the head of a body without parsing all of it. Does not belong here: reading records.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, BinaryIO, Final

from connectors.kit import staging

if TYPE_CHECKING:
    from connectors.contract.dataset import ArchiveMember

_STATUS: Final = re.compile(rb'"status"\s*:\s*"?([1-5][0-9]{2})"?')
_KEY: Final = re.compile(r'"([^"\\]+)"\s*:')
TOO_MANY: Final = re.compile(rb"\s*too many requests", re.IGNORECASE)


def open_without_bom(member: ArchiveMember) -> BinaryIO:
    """Opens a piece as decompressed bytes, after the byte order mark if there is one: JSON decoders reject it."""
    body = staging.open_plain(member)
    if body.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
        return body
    body.close()
    return staging.open_plain(member)


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


def error_reason(head: bytes) -> str | None:
    """Why an error body is not applicable; None for other bodies."""
    status = error_status(head)
    return None if status is None else f"error answer of the registry (status {status})"


def is_search_page(head: bytes) -> bool:
    """True for a page of search results (HAL)."""
    keys = top_keys(head)
    return keys is not None and "_links" in keys and ("_embedded" in keys or "page" in keys)


def missing_number_reason(head: bytes) -> str | None:
    """Why an object of no entity is not applicable; None for other bodies."""
    keys = top_keys(head)
    if keys is None or "organisasjonsnummer" in keys or "_embedded" in keys:
        return None
    return "object without an organisation number"
