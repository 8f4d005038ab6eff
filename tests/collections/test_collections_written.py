"""The committed collections are what the document makes of them, whole and without secrets."""

import json
import re
from pathlib import Path

import pytest

from api.collections.requests import VARIABLES, collection_requests, required_members, scenario_steps
from api.collections.writer import collection_files, write_collections
from api.openapi_document import OPERATIONS, openapi_document

COLLECTIONS = Path(__file__).resolve().parents[2] / "collections"
KEY = re.compile(r"firm_(live|secret|public)_\w+")
SECRET = re.compile(r"whsec_\w{8,}")


def on_disk(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.is_file()
    }


def test_they_are_current() -> None:
    by_hand = {"README.md"}
    made = {path: text for path, text in on_disk(COLLECTIONS).items() if path not in by_hand}
    assert made == collection_files(), "make generate"


def test_writing_takes_away_what_is_gone(tmp_path: Path) -> None:
    for name in ("old.postman_collection.json", "bruno/Service/Old.bru"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    write_collections(tmp_path)
    assert on_disk(tmp_path) == collection_files()


def test_every_operation_is_there() -> None:
    others = {"streamEvents", "downloadExport"}  # one never ends; the other is a link, which answers contain
    steps = scenario_steps(json.loads(openapi_document("https://api.example.com")))
    assert {step.operation_id for step in steps} == {one.operation_id for one in OPERATIONS} - others


def test_names_are_no_ones_twice() -> None:
    names = [
        (one.folder, one.name) for one in collection_requests(json.loads(openapi_document("https://api.example.com")))
    ]
    assert len(set(names)) == len(names)


def test_variables_are_set_before_they_are_used() -> None:
    known = {one.name for one in VARIABLES}
    for request in collection_requests(json.loads(openapi_document("https://api.example.com"))):
        texts = (request.path, *(one.value for one in request.query), *request.headers.values())
        texts += (request.body or "", *request.form.values())
        used = {name for text in texts for name in re.findall(r"{{(\w+)}}", text)}
        assert used | set(request.step.needs) <= known, request.name
        assert used <= set(request.step.needs) | {"base_url"}, request.name  # else it is sent with a hole
        known |= request.step.keeps.keys() | request.step.offers.keys()


def test_no_keys_and_no_secrets_but_the_documents_example() -> None:
    for path, text in collection_files().items():
        assert KEY.search(text) is None, path
        assert set(SECRET.findall(text)) <= {"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}, path


def test_kinds_of_members() -> None:
    components = {"schemas": {"Named": {"type": "object"}}}
    schema = {
        "anyOf": [
            {
                "properties": {
                    "whole": {"type": ["integer", "null"]},
                    "named": {"$ref": "#/components/schemas/Named"},
                    "either": {"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "integer"}]},
                    "asked": {"type": "string"},
                },
                "required": ["whole", "named", "either"],
            },
            {"$ref": "#/components/schemas/Named"},
        ]
    }
    assert required_members(schema, components) == {
        "whole": "number null",
        "named": "object",
        "either": "number string",
    }


@pytest.mark.parametrize("path", [path for path in collection_files() if path.endswith(".bru")])
def test_blocks_of_bruno_end_where_they_should(path: str) -> None:
    """A line that begins with a brace ends a block: none within a text does."""
    lines = collection_files()[path].splitlines()
    opened = [line for line in lines if re.fullmatch(r"[a-z:-]+ [{\[]", line)]
    closed = [line for line in lines if line[:1] in ("}", "]")]
    assert len(opened) == len(closed)
    assert all(line == "" or line.startswith("  ") or line in (*opened, *closed) for line in lines)
