"""JSON that says one thing twice: decoders keep the last member of a name, the bytes hold the others as well.

Who judges what was decoded and passes on what was sent asks here first, or he passes on what nobody looked through.
"""

from __future__ import annotations

import json
from typing import Any


def says_twice(text: bytes) -> bool:
    """Whether an object in a JSON text has a member twice; true where it is too deep to tell.

    The text is one that msgspec decodes. For single answers: every member costs a step.
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
