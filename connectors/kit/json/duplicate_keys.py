"""Detects duplicate object keys.

Decoders keep only the last one, so code that inspects the decoded value but forwards the raw bytes must
reject such input first.
"""

from __future__ import annotations

import json
from typing import Any


def has_duplicate_keys(text: bytes) -> bool:
    """True if an object in a JSON text has a duplicate key, or is nested too deeply to check.

    The text must be one that msgspec decodes. For small bodies: every member costs a Python step.
    """
    repeated = False

    def looked_at(members: list[tuple[str, Any]]) -> None:
        nonlocal repeated
        repeated = repeated or len({name for name, _ in members}) < len(members)

    try:
        json.loads(text.decode(), object_pairs_hook=looked_at)
    except RecursionError:
        return True
    return repeated
