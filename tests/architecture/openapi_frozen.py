"""The one committed copy of the OpenAPI document, and the published document that it was before.

`openapi.json` is today's document. `openapi_published.json` holds how to undo what has changed since the document was
last published (stretches of lines, from the first to the last) and the SHA-256 of the result: a change of today's
document cannot change what was published. After a change: `python -m tests.architecture.openapi_frozen`; to
publish, give `api.openapi.document.VERSION` its next number, write it into CHANGELOG.md, and add `--publish`.
"""

import hashlib
import json
import sys
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

from api.openapi.document import openapi_document

DOCUMENT: Final = Path(__file__).with_name("openapi.json")
PUBLISHED: Final = Path(__file__).with_name("openapi_published.json")
PUBLIC_URL: Final = "https://api.example.com"


def generated() -> str:
    """Today's document as it is committed."""
    return written(json.loads(openapi_document(PUBLIC_URL)))


def written(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def published(today: str, kept: dict[str, Any]) -> str:
    """The document as it was last published; a ValueError where the changes do not lead back to it."""
    lines = today.splitlines(keepends=True)
    for first, end, were in reversed(kept["undo"]):
        lines[first:end] = were
    text = "".join(lines)
    if hashlib.sha256(text.encode()).hexdigest() != kept["sha256"]:
        raise ValueError("openapi.json changed alone: run python -m tests.architecture.openapi_frozen")
    return text


def kept_of(today: str, before: str) -> dict[str, Any]:
    """What leads from today's document back to the one before."""
    new, old = today.splitlines(keepends=True), before.splitlines(keepends=True)
    undo = [
        [first, end, old[low:high]]
        for kind, first, end, low, high in SequenceMatcher(None, new, old, autojunk=False).get_opcodes()
        if kind != "equal"
    ]
    return {"sha256": hashlib.sha256(before.encode()).hexdigest(), "undo": undo}


def refresh(*, publish: bool) -> None:
    """Writes both files for the document that the code makes now."""
    today = generated()
    before = published(DOCUMENT.read_text(), json.loads(PUBLISHED.read_text()))
    DOCUMENT.write_text(today)
    PUBLISHED.write_text(written(kept_of(today, today if publish else before)))


if __name__ == "__main__":
    refresh(publish="--publish" in sys.argv[1:])
