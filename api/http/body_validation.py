"""Validates members of request bodies: each is declared once, and all errors are reported together.

See docs/contract/contract.md 4.10, 422. A reader takes a value and its JSON pointer, reports errors to
`ValidationErrors`, and returns the parsed value. Belongs here: the form mechanism, and readers that several forms
share. Does not belong here: the members of an operation (`api.webhooks.subscriptions.requests`), or JSON itself
(`api.http.json_body`).
"""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from api.http.json_body import Object
from api.problems.problem import ProblemDetail, ProblemError, new_problem

SHOWN: Final = 60
"""Maximum characters of caller input repeated in a response."""
_MOST_ERRORS: Final = 100


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


FieldParser = Callable[[Any, str, ValidationErrors], Any]


@dataclass(frozen=True, slots=True)
class BodyField:
    """One member of a body."""

    name: str
    parser: FieldParser
    is_required: bool = False


class BodySchema:
    """The members of one operation's body. `read_only`: members of responses that must not be sent."""

    def __init__(self, *members: BodyField, read_only: Sequence[str] = ()) -> None:
        self._members = {member.name: member for member in members}
        self._read_only = read_only

    def read(self, body: Object, errors: ValidationErrors) -> dict[str, Any]:
        """The parsed members by name; missing members are omitted."""
        for name in body:
            if name not in self._members:
                errors.add(*self._unknown_member_error(name), json_pointer(name))
        for member in self._members.values():
            if member.is_required and member.name not in body:
                errors.add("missing", f"'{member.name}' is required", json_pointer(member.name))
        return {
            name: member.parser(body[name], json_pointer(name), errors)
            for name, member in self._members.items()
            if name in body
        }

    def _unknown_member_error(self, name: str) -> tuple[str, str]:
        if name in self._read_only:
            return "read_only", f"'{name}' cannot be set"
        return "unknown_member", f"'{name[:SHOWN]}' is not known{did_you_mean(name, self._members)}"


def did_you_mean(name: str, allowed_names: Mapping[str, Any] | Sequence[str]) -> str:
    """«; did you mean 'x'?», or the list of known names, to append to an error detail."""
    near = difflib.get_close_matches(name[:SHOWN], allowed_names, 1)
    return f"; did you mean '{near[0]}'?" if near else f"; allowed: {', '.join(allowed_names)}"


def json_pointer(*steps: str | int) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join(f"/{str(step)[:SHOWN].replace('~', '~0').replace('/', '~1')}" for step in steps)


def integer_parser(low: int, high: int) -> FieldParser:
    """Reads an integer within bounds; accepts 5.0, rejects true."""
    requirement = f"must be an integer from {low} to {high}"

    def read(value: Any, pointer: str, faults: ValidationErrors) -> int | None:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            faults.add("type", requirement, pointer)
        elif not low <= value <= high:
            faults.add("out_of_range", requirement, pointer)
        else:
            return value
        return None

    return read


def text_parser(max_length: int) -> FieldParser:
    """Reads a string; NUL is rejected because databases cannot store it."""
    requirement = f"must be a string of at most {max_length} characters"

    def read(value: Any, pointer: str, faults: ValidationErrors) -> str | None:
        if not isinstance(value, str):
            faults.add("type", requirement, pointer)
        elif len(value) > max_length:
            faults.add("too_long", requirement, pointer)
        elif "\x00" in value:
            faults.add("format", "must not hold the character U+0000", pointer)
        else:
            return value
        return None

    return read


def one_of_parser(allowed: Sequence[str]) -> FieldParser:
    """Reads one of the allowed words."""

    def read(value: Any, pointer: str, faults: ValidationErrors) -> str | None:
        if isinstance(value, str) and value in allowed:
            return value
        faults.add("unknown_value", f"must be one of {', '.join(allowed)}", pointer)
        return None

    return read


def nullable_parser(read: FieldParser) -> FieldParser:
    """Also accepts null."""
    return lambda value, pointer, faults: None if value is None else read(value, pointer, faults)


def array_parser(one: FieldParser, max_items: int, when_empty: str, when_more: str | None = None) -> FieldParser:
    """Reads a non-empty array of at most `max_items` unique values; values with the same meaning are merged."""
    too_many = when_more or f"must have at most {max_items} entries"

    def read(value: Any, pointer: str, faults: ValidationErrors) -> tuple[Any, ...]:
        if not isinstance(value, list):
            faults.add("type", "must be an array", pointer)
        elif not value:
            faults.add("empty_array", when_empty, pointer)
        elif len(value) > max_items:
            faults.add("too_many", too_many, pointer)
        else:
            return _parse_entries(value, one, pointer, faults)
        return ()

    return read


def _parse_entries(value: list[Any], one: FieldParser, pointer: str, faults: ValidationErrors) -> tuple[Any, ...]:
    seen: set[str] = set()
    found: dict[Any, None] = {}
    for place, entry in enumerate(value):
        where = f"{pointer}/{place}"
        if isinstance(entry, str):
            if entry in seen:
                faults.add("duplicate", f"'{entry[:SHOWN]}' is given twice", where)
            seen.add(entry)
        found[one(entry, where, faults)] = None
    return tuple(found)
