"""All files of the collections, and their place on disk.

Does not belong here: what is in them.
"""

import json
from pathlib import Path
from typing import Any

from api.collections import bruno, postman
from api.openapi import document

_SERVER = "https://api.example.com"  # the document's; a collection has its own variable for it


def contents() -> dict[str, str]:
    """Paths below the collections' folder with what the files say."""
    described: dict[str, Any] = json.loads(document(_SERVER))
    return {**postman.files(described), **bruno.files(described)}


def write(root: Path) -> None:
    """Make the folder's files these: what the collections do not have any more goes."""
    made = contents()
    for old in (*root.glob("*.json"), *root.glob(f"{bruno.FOLDER}/**/*.bru")):
        if old.relative_to(root).as_posix() not in made:
            old.unlink()
    for path, text in made.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
