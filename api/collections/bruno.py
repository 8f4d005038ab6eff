"""Writes the collection for Bruno: a folder of text files, one per request.

The format has blocks of pairs (one per line) and blocks of text; a block ends with a brace at the start of a
line, so text is indented. Does not belong here: the list of requests (`api.collections.walk`), or their scripts
(`api.collections.scripts`).
"""

import json
from collections.abc import Iterable, Mapping
from typing import Final

from api.collections.fields import Schema
from api.collections.prose import ABOUT, VARIABLES
from api.collections.requests import QueryParameter, Request, folders, requests
from api.collections.scripts import Dialect, after, before

FOLDER: Final = "bruno"
_DIALECT: Final = Dialect(
    value="const value = (name) => bru.getVar(name) ?? bru.getEnvVar(name);",
    keep='const keep = (name, kept) => bru.setVar(name, kept ?? "");',
    skip="bru.runner.skipRequest()",
    answer=(
        "const header = (name) => res.getHeader(name.toLowerCase());",
        "const status = res.getStatus();",
    ),
    body="res.getBody()",
)


def files(document: Schema) -> Mapping[str, str]:
    """Relative paths and contents of the files."""
    title = document["info"]["title"]
    told = {"version": "1", "name": title, "type": "collection"}
    made = {
        "bruno.json": json.dumps(told, indent=2) + "\n",
        "collection.bru": _collection(title),
        "environments/local.bru": _environment(),
    }
    ready = requests(document)
    for number, (name, text) in enumerate(folders(document).items(), 1):
        made[f"{name}/folder.bru"] = _file(
            _pairs("meta", [("name", name), ("seq", str(number))]), _text("docs", text)
        )
        for place, request in enumerate([one for one in ready if one.folder == name], 1):
            made[f"{name}/{request.name}.bru"] = _request(request, place)
    return {f"{FOLDER}/{path}": text for path, text in made.items()}


def _collection(title: str) -> str:
    return _file(
        _pairs("meta", [("name", title)]),
        _pairs("auth", [("mode", "bearer")]),
        _pairs("auth:bearer", [("token", "{{key}}")]),
        _text("docs", ABOUT),
    )


def _environment() -> str:
    """Initial variables; the key is secret, so its value is not in the file."""
    plain = [(one.name, one.value) for one in VARIABLES if not one.is_secret]
    secret = ",\n".join(f"  {one.name}" for one in VARIABLES if one.is_secret)
    return _file(_pairs("vars", plain), f"vars:secret [\n{secret}\n]")


def _request(request: Request, place: int) -> str:
    body = "none" if request.body is None else "json"
    auth = "none" if request.is_public else "inherit"
    return _file(
        _pairs("meta", [("name", request.name), ("type", "http"), ("seq", str(place))]),
        _pairs(request.method.lower(), [("url", _url(request)), ("body", body), ("auth", auth)]),
        _pairs("params:query", [_query(one) for one in request.query]),
        _pairs("headers", request.headers.items()),
        _text("body:json", request.body or ""),
        _text("script:pre-request", "\n".join(before(request, _DIALECT))),
        _text("tests", "\n".join(after(request, _DIALECT))),
        _text("docs", _docs(request)),
    )


def _url(request: Request) -> str:
    asked = "&".join(f"{one.name}={one.value}" for one in request.query if one.is_sent)
    return f"{{{{base_url}}}}{request.path}" + (f"?{asked}" if asked else "")


def _query(one: QueryParameter) -> tuple[str, str]:
    return (one.name if one.is_sent else f"~{one.name}", one.value)


def _docs(request: Request) -> str:
    parameters = [f"- `{one.name}`: {one.description}" for one in request.query]
    parts = [request.description, "\n".join(parameters)]
    if request.example is not None:
        shown = json.dumps(request.example, indent=2, ensure_ascii=False)
        parts.append(f"Example of the answer:\n\n```json\n{shown}\n```")
    return "\n\n".join(part for part in parts if part)


def _file(*blocks: str) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def _pairs(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    lines = [f"  {key}: {value}".rstrip() for key, value in pairs]
    return "\n".join([f"{name} {{", *lines, "}"]) if lines else ""


def _text(name: str, text: str) -> str:
    lines = [f"  {line}".rstrip() for line in text.splitlines()]
    return "\n".join([f"{name} {{", *lines, "}"]) if lines else ""
