"""API explorer forms: operations of the OpenAPI document as forms, and submitted forms as requests.

Pure: the document is the only source, so every documented operation has a form. Does not belong here: sending
the request (`api.dashboard.pages.explorer`), or the form's markup (`templates/operation.html`).
"""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote, urlencode

from api.dashboard.html_forms import Form

Schema = Mapping[str, Any]
_PLACES: Final = ("path", "query", "header")
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_STREAM: Final = "text/event-stream"
_JSON: Final = "application/json"
_FORM: Final = "application/x-www-form-urlencoded"
_READS: Final = "GET"
_NUMBERS: Final = ("integer", "number")
_LONGEST: Final = 2_000
"""Maximum characters of a field without a limit in the document."""
BODY: Final = "body"
LONGEST_BODY: Final = 8_000
"""Characters; the limit of our forms, in escaped form, is twice as much."""


@dataclass(frozen=True, slots=True)
class FormField:
    """One parameter. `choices`: the only valid values; `many`: several values, separated by commas."""

    name: str
    place: str
    control: str
    """Form control: select, number, date or text."""
    choices: tuple[str, ...]
    is_repeatable: bool
    is_required: bool
    hint: str
    example: str
    longest: int

    @property
    def key(self) -> str:
        """Its name in the form."""
        return f"{self.place} {self.name}"


@dataclass(frozen=True, slots=True)
class OperationForm:
    """One operation as a form. `body`: an example of the request body, as it is sent; None if it has none."""

    operation_id: str
    tag: str
    method: str
    path: str
    summary: str
    description: str
    fields: tuple[FormField, ...]
    body: str | None
    media_type: str
    """Of the body."""
    is_public: bool

    @property
    def is_mutating(self) -> bool:
        """True if it may change something, so that sending it must be confirmed."""
        return self.method != _READS


@dataclass(frozen=True, slots=True)
class ExplorerRequest:
    """A request without its key. `path` is escaped; `faults`: reasons not to send it."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: str | None
    faults: tuple[str, ...]

    def curl(self, base: str) -> str:
        """The request as a curl command that reads the key from a variable, so it can be saved and shared."""
        address = base + self.path + (f"?{self.query}" if self.query else "")
        parts = ["curl"] if self.method == _READS else ["curl", "-X", self.method]
        parts += [shlex.quote(address), '-H "Authorization: Bearer $FIRMDATA_API_KEY"']
        parts += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in self.headers]
        if self.body is not None:
            parts.append(f"--data-binary {shlex.quote(self.body)}")
        return " ".join(parts)


@lru_cache(2)
def operation_forms(document: bytes) -> Mapping[str, OperationForm]:
    """Every operation by its id, in the document's order; not the stream, whose response a page could not show."""
    read = json.loads(document)
    components = read["components"]
    return {
        operation["operationId"]: _operation_form(path, method, operation, components)
        for path, methods in read["paths"].items()
        for method, operation in methods.items()
        if method in _METHODS and _STREAM not in operation["responses"].get("200", {}).get("content", ())
    }


def build_explorer_request(operation: OperationForm, form: Form) -> ExplorerRequest:
    """The request that a form describes, with the reasons not to send it.

    Parameter values are validated by the API; here they are only escaped for their position.
    """
    written = {field: form.get(field.key, "").strip() for field in operation.fields}
    faults = [*_validation_messages(operation, written, form)]
    path = operation.path
    for field, value in _filled_fields(written, "path"):
        path = path.replace(f"{{{field.name}}}", quote(value, safe=":"))
    query = urlencode([(field.name, value) for field, value in _filled_fields(written, "query")], safe=",:")
    headers = [(field.name, value) for field, value in _filled_fields(written, "header")]
    body = _written_body(operation, form)
    if body is not None:
        headers.append(("Content-Type", operation.media_type))
    return ExplorerRequest(operation.method, path, query, tuple(headers), body, tuple(faults))


def _filled_fields(written: Mapping[FormField, str], place: str) -> Iterator[tuple[FormField, str]]:
    return ((field, value) for field, value in written.items() if field.place == place and value)


def _validation_messages(operation: OperationForm, written: Mapping[FormField, str], form: Form) -> Iterator[str]:
    for field, value in written.items():
        if field.is_required and not value:
            yield f"{field.name} is required."
        elif len(value) > field.longest:
            yield f"{field.name} must have at most {field.longest} characters."
        elif field.place == "header" and not (value.isascii() and value.isprintable()):
            yield f"{field.name} must contain only printable ASCII characters."
        elif field.place == "path" and value in (".", ".."):
            yield f"{field.name} cannot be {value}: this would change the path."
    if len(_written_body(operation, form) or "") > LONGEST_BODY:
        yield f"The body must have at most {LONGEST_BODY} characters."


def _written_body(operation: OperationForm, form: Form) -> str | None:
    """None if nothing is sent: an empty body counts as none."""
    return None if operation.body is None else form.get(BODY, "").replace("\r\n", "\n").strip() or None


def _operation_form(path: str, method: str, operation: Schema, components: Schema) -> OperationForm:
    fields = [_form_field(_resolve_parameter(one, components)) for one in operation.get("parameters", ())]
    body = operation.get("requestBody")
    media_type = _JSON if body is None or _JSON in body["content"] else _FORM
    return OperationForm(
        operation["operationId"],
        operation["tags"][0],
        method.upper(),
        path,
        operation["summary"],
        operation["description"],
        tuple(sorted(fields, key=lambda field: _PLACES.index(field.place))),
        None if body is None else _example_body(body["content"][media_type].get("example", {}), media_type),
        media_type,
        {} in operation.get("security", ()),
    )


def _resolve_parameter(parameter: Schema, components: Schema) -> Schema:
    if "$ref" not in parameter:
        return parameter
    return components["parameters"][parameter["$ref"].rpartition("/")[2]]


def _example_body(example: Mapping[str, Any], media_type: str) -> str:
    if media_type == _FORM:
        return urlencode(example)
    return json.dumps(example, indent=2, ensure_ascii=False)


def _form_field(parameter: Schema) -> FormField:
    schema = parameter["schema"]
    many = schema.get("type") == "array"
    values = schema["items"] if many else schema
    field = FormField(
        name=parameter["name"],
        place=parameter["in"],
        control="text",
        choices=tuple(map(str, values.get("enum", ()))),
        is_repeatable=many,
        is_required=parameter.get("required", False),
        hint=parameter["description"],
        example=str(parameter.get("example", "")),
        longest=_LONGEST if many else schema.get("maxLength", _LONGEST),
    )
    return replace(field, **_input_control(field, values))


def _input_control(field: FormField, values: Schema) -> dict[str, Any]:
    if field.is_repeatable:
        return {}
    if values.get("type") == "boolean":
        return {"control": "select", "choices": ("true", "false")}
    if field.choices:
        return {"control": "select"}
    if values.get("type") in _NUMBERS:
        return {"control": "number"}
    return {"control": "date"} if values.get("format") == "date" else {}


def group_by_tag(operations: Mapping[str, OperationForm]) -> list[tuple[str, Sequence[OperationForm]]]:
    """Operations grouped by tag, both in the document's order."""
    tags = dict.fromkeys(one.tag for one in operations.values())
    return [(tag, [one for one in operations.values() if one.tag == tag]) for tag in tags]
