"""Reads request bodies into models: all errors are reported together (docs/contract/contract.md 4.10, 422).

Belongs here: the order of errors, their pointers and suggestions, and kinds of members that only bodies have. Does not
belong here: the members of an operation (`api.webhooks.subscriptions.requests`), or JSON itself
(`api.http.json_body`).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from pydantic import BeforeValidator, Field, ValidationError

from api.http.json_body import Object
from api.http.suggestions import SHOWN, nearest_name
from api.http.validation import FieldError, field_errors
from api.problems.problem import ProblemDetail, ProblemError, new_problem
from api.schemas import declare
from api.schemas.declare import RequestModel, Requirement, invalid_value, with_metadata

M = TypeVar("M", bound=RequestModel)
_MOST_ERRORS: Final = 100
_MOST_SUGGESTIONS: Final = 20
_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})", re.IGNORECASE
)
_INSTANT_REQUIREMENT: Final = "must be a date and time, for example 2026-01-31T12:00:00Z"
_CODES: Final = {
    "extra_forbidden": "unknown_member",
    "missing": "missing",
    "string_type": "type",
    "int_type": "type",
    "list_type": "type",
    "model_type": "type",
    "bool_type": "type",
    "float_type": "type",
    "string_too_long": "too_long",
    "greater_than_equal": "out_of_range",
    "less_than_equal": "out_of_range",
}
_FIRST: Final = {"unknown_member": 0, "missing": 1}  # other errors follow, in the order of the model's fields


@dataclass(slots=True)
class ValidationErrors:
    """Validation errors of one body, in the order found; the first hundred are kept."""

    errors: list[ProblemDetail] = field(default_factory=list)
    count: int = 0

    def add(self, code: str, detail: str, pointer: str) -> None:
        self.count += 1
        if len(self.errors) < _MOST_ERRORS:
            self.errors.append(ProblemDetail(code, detail, pointer=pointer))

    def check(self) -> None:
        """Raises the 422 if there are errors."""
        if self.count:
            raise self.problem()

    def problem(self) -> ProblemError:
        """The 422 with all errors."""
        if self.count == 1:
            only = self.errors[0]
            end = "" if only.detail.endswith("?") else "."
            return new_problem("validation_failed", f"{only.pointer}: {only.detail}{end}", only)
        return new_problem("validation_failed", f"{self.count} fields are not valid.", *self.errors)


def read_body(model: type[M], body: Object, context: Any = None) -> M:
    """The body as its model, or the 422 with all errors; `context` is for the model's validators."""
    errors = ValidationErrors()
    read = parse_body(model, body, errors, context)
    if read is None:
        raise errors.problem()
    return read


def parse_body(model: type[M], body: Object, errors: ValidationErrors, context: Any = None) -> M | None:
    """The body as its model; None if it has errors, which are added to those of the caller."""
    try:
        return model.model_validate(body, context=context)
    except ValidationError as invalid:
        _add_errors(model, invalid, errors)
        return None


def sent_members(body: RequestModel) -> dict[str, Any]:
    """The members that were sent, by name."""
    return {name: getattr(body, name) for name in type(body).model_fields if name in body.model_fields_set}


def _add_errors(model: type[RequestModel], invalid: ValidationError, errors: ValidationErrors) -> None:
    found = sorted(field_errors(model, invalid, _CODES), key=lambda error: _FIRST.get(error.code, len(_FIRST)))
    for place, error in enumerate(found):
        if error.code == "unknown_member":
            known = error.model.model_fields if place < _MOST_SUGGESTIONS else {}
            errors.add(*_unknown_member_error(model, error, known), json_pointer(*error.place))
        elif error.code == "missing":
            errors.add("missing", f"'{error.place[-1]}' is required", json_pointer(*error.place))
        else:
            errors.add(error.code, error.detail, json_pointer(*error.place))


def _unknown_member_error(model: type[RequestModel], error: FieldError, known: Mapping[str, Any]) -> tuple[str, str]:
    name = str(error.place[-1])
    if error.model is model and name in model.read_only:
        return "read_only", f"'{name}' cannot be set"
    return "unknown_member", f"'{name[:SHOWN]}' is not known{did_you_mean(name, known)}"


def did_you_mean(name: str, allowed_names: Iterable[str]) -> str:
    """«; did you mean 'x'?», or the list of known names, to append to an error detail; nothing without names."""
    allowed = [*allowed_names]
    if not allowed:
        return ""
    near = nearest_name(name, allowed)
    return f"; did you mean '{near}'?" if near else f"; allowed: {', '.join(allowed)}"


def json_pointer(*steps: str | int) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join(f"/{str(step)[:SHOWN].replace('~', '~0').replace('/', '~1')}" for step in steps)


def whole_number_field(low: int, high: int, description: str, **more: Any) -> Any:
    """An integer within bounds; accepts 5.0, rejects true."""
    return with_metadata(declare.integer(low, high, description, **more), BeforeValidator(to_whole_number))


def to_whole_number(value: Any) -> Any:
    """A float without a fraction as an integer; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def body_instant_field(description: str, **more: Any) -> Any:
    """A date and time of RFC 3339, in UTC when read."""
    return with_metadata(declare.instant(description, **more), BeforeValidator(_to_instant))


def _to_instant(value: Any) -> datetime:
    if not isinstance(value, str):
        raise invalid_value("type", _INSTANT_REQUIREMENT)
    try:
        if _INSTANT.fullmatch(value):
            return datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        pass  # as 31 February
    raise invalid_value("format", _INSTANT_REQUIREMENT)


def request_array_field(max_items: int, description: str, *, when_empty: str, **more: Any) -> Any:
    """A non-empty array of at most `max_items` values, none written twice (entries: `unrepeated`)."""

    def check(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        if not value:
            raise invalid_value("empty_array", when_empty)
        if len(value) > max_items:
            raise invalid_value("too_many", f"must have at most {max_items} entries")
        return _mark_repeated(value)

    schema: dict[str, Any] = {"minItems": 1, "maxItems": max_items, "uniqueItems": True}
    return with_metadata(
        Field(description=description, json_schema_extra=schema, **more),
        Requirement("must be an array"),
        BeforeValidator(check),
    )


class _Repeated(str):
    """An entry of an array that an earlier one equals."""

    __slots__ = ()


def _mark_repeated(entries: list[Any]) -> list[Any]:
    seen: set[str] = set()
    marked: list[Any] = []
    for entry in entries:
        is_repeated = isinstance(entry, str) and entry in seen
        marked.append(_Repeated(entry) if is_repeated else entry)
        if isinstance(entry, str):
            seen.add(entry)
    return marked


def _check_unrepeated(value: Any) -> Any:
    if isinstance(value, _Repeated):
        raise invalid_value("duplicate", f"'{value[:SHOWN]}' is given twice")
    return value


unrepeated: Final = BeforeValidator(_check_unrepeated)
"""Of the entries of a `request_array_field`."""
