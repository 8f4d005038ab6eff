"""Types of query values: integers, dates, instants, words from a list, each with its JSON schema.

Every function returns a `QueryParam`; bounds are written once, for parsing and schema. Does not belong here: the
parameters of an operation (`api.companies.query_params`).
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final, TypeVar

from api.http.query.params import InvalidParameterError, QueryParam

D = TypeVar("D")
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,18}")
_DECIMAL: Final = re.compile(r"(?:0|[1-9][0-9]{0,2})(?:\.[0-9]{1,4})?")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_FLAGS: Final = {"true": True, "false": False}


def integer_param(name: str, low: int, high: int, default: D, description: str) -> QueryParam[int | D]:
    requirement = f"must be an integer from {low} to {high}"

    def read(text: str) -> int:
        if not _INTEGER.fullmatch(text):
            raise InvalidParameterError("format", requirement)
        number = int(text)
        if not low <= number <= high:
            raise InvalidParameterError("out_of_range", requirement)
        return number

    form = "int32" if low >= -(2**31) and high < 2**31 else "int64"
    schema: dict[str, Any] = {"type": "integer", "format": form, "minimum": low, "maximum": high}
    if default is not None:
        schema["default"] = default
    return QueryParam(name, read, default, description, schema)


def percent_param(name: str, description: str) -> QueryParam[str | None]:
    """0 to 100 as decimal text: a percentage is never converted to a float."""
    requirement = "must be a number from 0 to 100 with at most 4 decimals"

    def read(text: str) -> str:
        if not _DECIMAL.fullmatch(text):
            raise InvalidParameterError("format", requirement)
        if Decimal(text) > 100:  # noqa: PLR2004
            raise InvalidParameterError("out_of_range", requirement)
        return text

    schema = {"type": "number", "minimum": 0, "maximum": 100, "multipleOf": 0.0001}
    return QueryParam(name, read, None, description, schema, example=5)


def boolean_param(name: str, description: str) -> QueryParam[bool | None]:
    def read(text: str) -> bool:
        if text not in _FLAGS:
            raise InvalidParameterError("format", "must be true or false")
        return _FLAGS[text]

    return QueryParam(name, read, None, description, {"type": "boolean"})


def date_param(name: str, description: str) -> QueryParam[date | None]:
    requirement = "must be a date, for example 2026-01-31"
    schema = {"type": "string", "format": "date", "maxLength": 10}
    return _pattern_param(name, description, schema, _DATE, requirement, date.fromisoformat)


def instant_param(name: str, description: str) -> QueryParam[datetime | None]:
    requirement = "must be a date and time, for example 2026-01-31T12:00:00Z (encode '+' in an offset as %2B)"
    schema = {"type": "string", "format": "date-time", "maxLength": 32}
    return _pattern_param(
        name, description, schema, _INSTANT, requirement, lambda text: datetime.fromisoformat(text).astimezone(UTC)
    )


def _pattern_param(
    name: str,
    description: str,
    schema: dict[str, Any],
    pattern: re.Pattern[str],
    requirement: str,
    convert: Callable[[str], D],
) -> QueryParam[D | None]:
    """Text of a fixed pattern that `convert` may still reject, as 31 February."""

    def read(text: str) -> D:
        if not pattern.fullmatch(text):
            raise InvalidParameterError("format", requirement)
        try:
            return convert(text)
        except (ValueError, OverflowError):
            raise InvalidParameterError("format", requirement) from None

    return QueryParam(name, read, None, description, schema)


def one_of_param(name: str, allowed: Sequence[str], default: D, description: str) -> QueryParam[str | D]:
    requirement = f"must be one of {', '.join(allowed)}"

    def read(text: str) -> str:
        if text not in allowed:
            raise InvalidParameterError("unknown_value", requirement)
        return text

    schema: dict[str, Any] = {"type": "string", "enum": list(allowed)}
    if default is not None:
        schema["default"] = default
    return QueryParam(name, read, default, description, schema)


def list_param(
    name: str, allowed: Sequence[str], description: str, canonical: Callable[[str], str] = str
) -> QueryParam[tuple[str, ...]]:
    """Comma-separated words from a list, each once; `canonical` maps each to its canonical spelling."""
    requirement = f"must be one or more of {', '.join(allowed)}, separated by commas, each once"

    def read(text: str) -> tuple[str, ...]:
        given = text.split(",")
        if any(entry not in allowed for entry in given):
            raise InvalidParameterError("unknown_value", requirement)
        if len(set(given)) < len(given):
            raise InvalidParameterError("duplicate", requirement)
        return tuple(dict.fromkeys(canonical(entry) for entry in given))

    schema = {
        "type": "array",
        "items": {"type": "string", "enum": list(allowed)},
        "minItems": 1,
        "maxItems": len(allowed),
        "uniqueItems": True,
    }
    return QueryParam(name, read, (), description, schema, is_list=True)


def code_param(name: str, pattern: str, max_length: int, described: str, description: str) -> QueryParam[str | None]:
    """One code with a fixed pattern, such as a currency; `described` continues «must be …»."""
    schema = {"type": "string", "maxLength": max_length, "pattern": f"^{pattern}$"}
    return _pattern_param(name, description, schema, re.compile(pattern), f"must be {described}", str)


def code_list_param(
    one: QueryParam[str | None], max_items: int, canonical: Callable[[str], str] = str
) -> QueryParam[tuple[str, ...]]:
    """Up to `max_items` codes, separated by commas, each parsed by `one`; `canonical` gives the canonical spelling."""

    def read(given: str) -> tuple[str, ...]:
        entries = given.split(",")
        if len(entries) > max_items:
            raise InvalidParameterError("too_many", f"must be at most {max_items} codes, separated by commas")
        return tuple(dict.fromkeys(canonical(one.parse(entry) or entry) for entry in entries))

    schema = {"type": "array", "items": dict(one.schema), "minItems": 1, "maxItems": max_items}
    return QueryParam(one.name, read, (), one.description, schema, is_list=True)


def text_param(name: str, max_length: int, description: str, pattern: str) -> QueryParam[str | None]:
    """Free text of 1 to `max_length` characters that matches `pattern`, in parsing and schema."""
    requirement = f"must be 1 to {max_length} printable characters, not only spaces"
    compiled = re.compile(pattern)

    def read(given: str) -> str:
        if not 1 <= len(given) <= max_length or not compiled.search(given):
            raise InvalidParameterError("format", requirement)
        return given

    schema = {"type": "string", "minLength": 1, "maxLength": max_length, "pattern": pattern}
    return QueryParam(name, read, None, description, schema)
