"""A body written again without somebody, or a failure that says it cannot be. Does not belong here: other promises."""

from __future__ import annotations

import io
from typing import Final

from connectors.declare import Without
from connectors.kit import without
from connectors.kit.guarded import BROKEN
from tests.fuzz.case import Features

_TOLD: Final = without.Told((without.pattern([without.words("Exempel")]),))
_CANNOT: Final = (*BROKEN, UnicodeDecodeError)  # what erasing takes for a body that cannot be written again


def erased(body: bytes, name: str, rewrite: Without | None) -> Features:
    """Whether anything was left, by each reading of quotes; rewrite: a dataset's own way, or None."""
    seen = set[str]()
    for quoted in (False, True):
        try:
            left = (rewrite or without.rewrite)(
                io.BytesIO(body), _TOLD, io.BytesIO(), quoted=quoted, name=name
            )
            seen.add(f"left {left}")
        except _CANNOT as error:
            seen.add(type(error).__name__)
    return frozenset(seen)
