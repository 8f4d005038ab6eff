"""Documents that are made from the code equal what the code says today."""

import re
from pathlib import Path

import connectors
from connectors.sources_page import render_sources_page
from warehouse import schema_render
from warehouse.schema.tables import EVENTS, TABLES

ROOT = Path(__file__).resolve().parents[2]


def test_the_data_dictionary_is_the_schema() -> None:
    written = (ROOT / "docs" / "data-dictionary.md").read_text(encoding="utf-8")
    assert written == schema_render.data_dictionary((*TABLES, EVENTS)), "make docs"


def test_the_sources_are_those_declared() -> None:
    written = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    assert written == render_sources_page(connectors.JURISDICTIONS), "make docs"


def test_the_readme_names_what_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rooms = re.findall(r"^\| `([a-z_/`, ]+)` \|", text, re.MULTILINE)
    folders = [
        name for row in rooms for name in re.findall(r"[a-z_/]+", row) if "<" not in name and "." not in name
    ]
    assert folders
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z]+)", text, re.MULTILINE)) <= targets
