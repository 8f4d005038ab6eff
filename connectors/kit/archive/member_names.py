"""Detects unsafe member names in archives (path traversal).

No file is written under such a name; but names end up in pointers, manifests and messages, and an archive
with a path that leaves its folder is not trustworthy.
"""

from __future__ import annotations

import re
from typing import Final

MOST: Final = 1024  # characters
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def unsafe_reason(name: str) -> str | None:
    """Why a member of this name is not read, or None."""
    if not name or len(name) > MOST:
        return "a name that is empty or too long"
    if _CONTROL.search(name):
        return "a name with control characters"
    flat = name.replace("\\", "/")
    if flat.startswith("/") or _DRIVE.match(flat):
        return "an absolute path"
    if ".." in flat.split("/"):
        return "a path that climbs out of the archive"
    return None
