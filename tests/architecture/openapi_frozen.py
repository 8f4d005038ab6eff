"""The one committed copy of the OpenAPI document, and the shape of the published document that it was before.

`openapi.json` is today's document. A document's shape is what clients rely on: the document without its texts and
examples, which may change at any time. `openapi_published.json` holds how to undo what has changed in the shape since
the document was last published (ranges of lines, from the first to the last) and the SHA-256 of the result: a change
of today's document cannot change what was published. `make generate` updates both files. To publish, give
`api.openapi_document.VERSION` its next number, write it into CHANGELOG.md, and run
`python -m tests.architecture.openapi_frozen --publish`.
"""

import hashlib
import json
import sys
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

from api.openapi_document import openapi_document

DOCUMENT: Final = Path(__file__).with_name("openapi.json")
PUBLISHED: Final = Path(__file__).with_name("openapi_published.json")
PUBLIC_URL: Final = "https://api.example.com"
_TEXTS: Final = ("summary", "description", "title")
_EXAMPLES: Final = ("example", "examples")


def generated() -> str:
    """Today's document as it is committed."""
    return written(json.loads(openapi_document(PUBLIC_URL)))


def written(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def shape(value: Any, *, named: bool = False) -> Any:
    """A document without texts and examples; `named`: the keys are names of properties, whatever they are."""
    if isinstance(value, list):
        return [shape(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: shape(one, named=key == "properties" and not named)
        for key, one in value.items()
        if named or not (key in _EXAMPLES or (key in _TEXTS and isinstance(one, str)))
    }


def published(today: str, kept: dict[str, Any]) -> str:
    """The shape that was last published; a ValueError where the changes do not lead back to it."""
    lines = _shape_lines(today)
    for first, end, were in reversed(kept["undo"]):
        lines[first:end] = were
    text = "".join(lines)
    if hashlib.sha256(text.encode()).hexdigest() != kept["sha256"]:
        raise ValueError("openapi.json changed alone: restore it and run make generate")
    return text


def kept_of(today: str, before: str) -> dict[str, Any]:
    """What leads from the shape of today's document back to the shape of the one before."""
    new, old = _shape_lines(today), _shape_lines(before)
    undo = [
        [first, end, old[low:high]]
        for kind, first, end, low, high in SequenceMatcher(None, new, old, autojunk=False).get_opcodes()
        if kind != "equal"
    ]
    return {"sha256": hashlib.sha256("".join(old).encode()).hexdigest(), "undo": undo}


def _shape_lines(document: str) -> list[str]:
    return written(shape(json.loads(document))).splitlines(keepends=True)


def refresh(*, publish: bool) -> None:
    """Writes both files for the document that the code makes now."""
    today = generated()
    before = published(DOCUMENT.read_text(), json.loads(PUBLISHED.read_text()))
    DOCUMENT.write_text(today)
    PUBLISHED.write_text(written(kept_of(today, today if publish else before)))


if __name__ == "__main__":
    refresh(publish="--publish" in sys.argv[1:])
