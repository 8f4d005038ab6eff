"""A body written again without somebody, or a failure that says it cannot be. Does not belong here: other promises."""

from __future__ import annotations

import io
from typing import Final

from connectors.contract.dataset import RecordRemover
from connectors.kit.archive.bounded_stream import DECODER_ERRORS
from connectors.kit.redact import remove_records
from tests.fuzz.case import Features

_TOLD: Final = remove_records.SubjectPatterns(
    (remove_records.compile_patterns([remove_records.words_pattern("Exempel")]),)
)
_CANNOT: Final = (*DECODER_ERRORS, UnicodeDecodeError)  # what erasing takes for a body that cannot be written again


def erased(body: bytes, name: str, rewrite: RecordRemover | None) -> Features:
    """Whether anything was left, by each reading of quotes; rewrite: a dataset's own way, or None."""
    seen = set[str]()
    for quoted in (False, True):
        try:
            left = (rewrite or remove_records.remove_records)(
                io.BytesIO(body), _TOLD, io.BytesIO(), quoted=quoted, name=name
            )
            seen.add(f"left {left}")
        except _CANNOT as error:
            seen.add(type(error).__name__)
    return frozenset(seen)
