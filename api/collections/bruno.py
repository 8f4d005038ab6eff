"""Writes the collection for Bruno: a folder of text files, one per request.

The format has blocks of pairs (one per line) and blocks of text; a block ends with a brace at the start of a
line, so text is indented. Does not belong here: the list of requests (`api.collections.scenario`), or their scripts
(`api.collections.scripts`).
"""

import json
from collections.abc import Iterable, Mapping
from typing import Final

from api.collections.requests import (
    ABOUT,
    VARIABLES,
    CollectionRequest,
    Schema,
    collection_requests,
    folder_descriptions,
)
from api.collections.scripts import ClientDialect, post_response_lines, pre_request_lines

FOLDER: Final = "bruno"
_DIALECT: Final = ClientDialect(
    value="const value = (name) => bru.getVar(name) ?? bru.getEnvVar(name);",
    keep='const keep = (name, kept) => bru.setVar(name, kept ?? "");',
    skip="bru.runner.skipRequest()",
    response_expressions=(
        "const header = (name) => res.getHeader(name.toLowerCase());",
        "const status = res.getStatus();",
    ),
    body="res.getBody()",
)


def build_files(document: Schema) -> Mapping[str, str]:
    """Relative paths and contents of the files."""
    title = document["info"]["title"]
    told = {"version": "1", "name": title, "type": "collection"}
    made = {
        "bruno.json": json.dumps(told, indent=2) + "\n",
        "collection.bru": _collection_file(title),
        "environments/local.bru": _environment_file(),
    }
    ready = collection_requests(document)
    for number, (name, text) in enumerate(folder_descriptions(document).items(), 1):
        made[f"{name}/folder.bru"] = _join_blocks(
            _pairs_block("meta", [("name", name), ("seq", str(number))]), _text_block("docs", text)
        )
        for place, request in enumerate([one for one in ready if one.folder == name], 1):
            made[f"{name}/{request.name}.bru"] = _request_file(request, place)
    return {f"{FOLDER}/{path}": text for path, text in made.items()}


def _collection_file(title: str) -> str:
    return _join_blocks(
        _pairs_block("meta", [("name", title)]),
        _pairs_block("auth", [("mode", "bearer")]),
        _pairs_block("auth:bearer", [("token", "{{key}}")]),
        _text_block("docs", ABOUT),
    )


def _environment_file() -> str:
    """Initial variables; the key is secret, so its value is not in the file."""
    plain = [(one.name, one.value) for one in VARIABLES if not one.is_secret]
    secret = ",\n".join(f"  {one.name}" for one in VARIABLES if one.is_secret)
    return _join_blocks(_pairs_block("vars", plain), f"vars:secret [\n{secret}\n]")


def _request_file(request: CollectionRequest, place: int) -> str:
    body = "none" if request.body is None else "json"
    body = "formUrlEncoded" if request.form else body
    auth = "none" if request.is_public else "inherit"
    return _join_blocks(
        _pairs_block("meta", [("name", request.name), ("type", "http"), ("seq", str(place))]),
        _pairs_block(request.method.lower(), [("url", request.url), ("body", body), ("auth", auth)]),
        _pairs_block(
            "params:query", [(one.name if one.is_sent else f"~{one.name}", one.value) for one in request.query]
        ),
        _pairs_block("headers", request.headers.items()),
        _text_block("body:json", request.body or ""),
        _pairs_block("body:form-urlencoded", request.form.items()),
        _text_block("script:pre-request", "\n".join(pre_request_lines(request, _DIALECT))),
        _text_block("tests", "\n".join(post_response_lines(request, _DIALECT))),
        _text_block("docs", _request_docs(request)),
    )


def _request_docs(request: CollectionRequest) -> str:
    parameters = [f"- `{one.name}`: {one.description}" for one in request.query]
    parts = [request.description, "\n".join(parameters)]
    if request.example is not None:
        shown = json.dumps(request.example, indent=2, ensure_ascii=False)
        parts.append(f"Example of the answer:\n\n```json\n{shown}\n```")
    return "\n\n".join(part for part in parts if part)


def _join_blocks(*blocks: str) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def _pairs_block(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    lines = [f"  {key}: {value}".rstrip() for key, value in pairs]
    return "\n".join([f"{name} {{", *lines, "}"]) if lines else ""


def _text_block(name: str, text: str) -> str:
    lines = [f"  {line}".rstrip() for line in text.splitlines()]
    return "\n".join([f"{name} {{", *lines, "}"]) if lines else ""
