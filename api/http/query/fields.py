"""Kinds of fields that only queries have: lists of words and codes, free text, percentages, and paging.

Does not belong here: kinds that bodies have too (`api.schemas.declare`), or the parameters of an operation
(`api.companies.query_params`).
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from api.http.query.model import parse_instant
from api.schemas import declare
from api.schemas.declare import Requirement, invalid_value, with_metadata

PRINTABLE: Final = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
_MOST_SEQUENCE: Final = 10**18 - 1
_SEQUENCE: Final = re.compile("0|[1-9][0-9]{0,17}")
_DECIMAL: Final = re.compile(r"(?:0|[1-9][0-9]{0,2})(?:\.[0-9]{1,4})?")

Limit = Annotated[int, declare.integer(1, 100, "Maximum number of rows per page.")]
LongLimit = Annotated[int, declare.integer(1, 500, "Maximum number of rows per page.")]
Cursor = Annotated[
    str | None,
    Field(
        description="`next_cursor` of the previous page. Only `limit` may change between pages.",
        json_schema_extra={"minLength": 1, "maxLength": 512, "pattern": "^[A-Za-z0-9_-]+$"},
    ),
]
"""Fully checked by `api.http.pagination.cursors`, which distinguishes its errors."""


REQUIRED: Final[dict[str, Any]] = {"required": True}
"""Marks a parameter as required in the OpenAPI document (`json_schema_extra`); its operation refuses its absence."""


def words_field(allowed: Sequence[str], description: str, canonical: Callable[[str], str] = str) -> Any:
    """Comma-separated words from a list, each once; `canonical` maps each to its canonical spelling."""
    requirement = f"must be one or more of {', '.join(allowed)}, separated by commas, each once"

    def check(given: tuple[str, ...]) -> tuple[str, ...]:
        if any(entry not in allowed for entry in given):
            raise invalid_value("unknown_value", requirement)
        if len(set(given)) < len(given):
            raise invalid_value("duplicate", requirement)
        return tuple(dict.fromkeys(canonical(entry) for entry in given))

    schema = {
        "items": {"type": "string", "enum": list(allowed)},
        "minItems": 1,
        "maxItems": len(allowed),
        "uniqueItems": True,
    }
    return with_metadata(Field((), description=description, json_schema_extra=schema), AfterValidator(check))


def code_field(pattern: str, max_length: int, requirement: str, description: str) -> Any:
    """One code with a fixed pattern, such as a currency."""
    field = Field(None, max_length=max_length, pattern=f"^{pattern}$", description=description)
    return with_metadata(field, Requirement(requirement))


def codes_field(
    pattern: str,
    max_length: int,
    requirement: str,
    description: str,
    *,
    max_items: int,
    canonical: Callable[[str], str],
) -> Any:
    """Up to `max_items` codes, separated by commas, in their canonical spelling."""
    code = re.compile(pattern)

    def check(given: tuple[str, ...]) -> tuple[str, ...]:
        if len(given) > max_items:
            raise invalid_value("too_many", f"must be at most {max_items} codes, separated by commas")
        if not all(code.fullmatch(entry) for entry in given):
            raise invalid_value("format", requirement)
        return tuple(dict.fromkeys(canonical(entry) for entry in given))

    items = {"type": "string", "maxLength": max_length, "pattern": f"^{pattern}$"}
    schema = {"items": items, "minItems": 1, "maxItems": max_items}
    return with_metadata(Field((), description=description, json_schema_extra=schema), AfterValidator(check))


def free_text_field(max_length: int, description: str, **more: Any) -> Any:
    """Text of 1 to `max_length` printable characters."""
    field = Field(None, min_length=1, max_length=max_length, pattern=PRINTABLE, description=description, **more)
    return with_metadata(field, Requirement(f"must be 1 to {max_length} printable characters, not only spaces"))


def percent_text_field(description: str) -> Any:
    """0 to 100 as decimal text: a percentage is never converted to a float."""
    requirement = "must be a number from 0 to 100 with at most 4 decimals"

    def check(text: str) -> str:
        if not _DECIMAL.fullmatch(text):
            raise invalid_value("format", requirement)
        if Decimal(text) > 100:  # noqa: PLR2004
            raise invalid_value("out_of_range", requirement)
        return text

    schema = {"type": "number", "minimum": 0, "maximum": 100, "multipleOf": 0.0001}
    field = Field(None, description=description, examples=[5], json_schema_extra=schema)
    return with_metadata(field, AfterValidator(check))


def query_instant_field(description: str) -> Any:
    field = Field(None, description=description, json_schema_extra={"maxLength": 32})
    return with_metadata(
        field, Requirement("must be a date and time, for example 2026-01-31T12:00:00Z (encode '+' in an offset as %2B)")
    )


def position_field(description: str) -> Any:
    """A place in the ledger: a sequence number, or an instant; its text, which `parse_position` reads."""
    requirement = "must be a sequence number, or a date and time, for example 2026-01-31T12:00:00Z"

    def check(text: str) -> str:
        if not _SEQUENCE.fullmatch(text) and isinstance(parse_instant(text), str):
            raise invalid_value("format", requirement)
        return text

    def alternatives(schema: dict[str, Any]) -> None:
        del schema["type"]
        schema["anyOf"] = [
            {"type": "integer", "format": "int64", "minimum": 0, "maximum": _MOST_SEQUENCE},
            {"type": "string", "format": "date-time", "maxLength": 32},
        ]

    field = Field(None, description=description, examples=[184467], json_schema_extra=alternatives)
    return with_metadata(field, AfterValidator(check))


def parse_position(text: str) -> int | datetime:
    """The sequence number or instant of a checked `position_field`."""
    found = parse_instant(text)
    return int(found) if isinstance(found, str) else found
