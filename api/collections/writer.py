"""Generates all files of the collections and writes them to disk.

Does not belong here: their content.
"""

import json
from pathlib import Path
from typing import Any

from api.collections import bruno, postman
from api.openapi_document import openapi_document

_SERVER = "https://api.example.com"  # the document's server; a collection has its own variable for it


def collection_files() -> dict[str, str]:
    """Contents of all files, by path below the collections' folder."""
    described: dict[str, Any] = json.loads(openapi_document(_SERVER))
    return {**postman.build_files(described), **bruno.build_files(described)}


def write_collections(root: Path) -> None:
    """Writes the folder's files and deletes those that the collections no longer have."""
    made = collection_files()
    for old in (*root.glob("*.json"), *root.glob(f"{bruno.FOLDER}/**/*.bru")):
        if old.relative_to(root).as_posix() not in made:
            old.unlink()
    for path, text in made.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
