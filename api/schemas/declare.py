"""Fields of requests and responses: one function per kind of value, with limits, schema and text.

Each returns what stands after the annotation of a model's field (`name: str = text(1000, "Name.")`): pydantic
checks values by it, and the OpenAPI document shows it. Every text has a maximum length, every integer bounds, every
array a limit. `X | None` allows null; `default` makes a key optional. Does not belong here: any concrete object, or
kinds of one place alone (`api.http.query.fields`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final, LiteralString

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from api.common.clock import format_instant

INT64: Final = 9_223_372_036_854_775_807
ECHO: Final = r"^[\s\S]*$"  # repeats caller input of any kind
WORD: Final = "^[A-Za-z0-9][A-Za-z0-9_.-]*$"
_ANYTHING: Final = r"^[^\x00]*$"  # text of a register: only NUL can be excluded
OMITTED: Final[Any] = None
"""Default of a key that may be absent but not null."""


class ResponseModel(BaseModel):
    """An object in a response or a delivery. Clients ignore unknown keys."""

    @classmethod
    def members(cls, record: Any, **computed: Any) -> dict[str, Any]:
        """The object as it is encoded: each member as `computed`, else the record's attribute; instants as text."""
        found = {name: computed[name] if name in computed else getattr(record, name) for name in cls.model_fields}
        return {name: format_instant(one) if isinstance(one, datetime) else one for name, one in found.items()}


class RequestModel(BaseModel):
    """An object in a request: unknown keys are rejected. `read_only`: keys of responses that cannot be sent."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    read_only: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a field's value must be, and its characters: continues «'limit' …» in the message of an error."""

    text: str
    characters: str = ""


@dataclass(frozen=True, slots=True)
class OneOf:
    """One word of a list."""

    words: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        null = (None,) if handler(source)["type"] == "nullable" else ()
        return core_schema.custom_error_schema(
            core_schema.literal_schema([*self.words, *null]),
            custom_error_type="unknown_value",
            custom_error_message=f"must be one of {', '.join(self.words)}",
        )


def invalid_value(code: LiteralString, detail: str) -> PydanticCustomError:
    """The error that validators raise: a code of `errors[]`, and what the value must be."""
    return PydanticCustomError(code, "{detail}", {"detail": detail})


def with_metadata(field: Any, *metadata: Any) -> Any:
    """The field, with validators or other marks that `Annotated` would carry."""
    field.metadata += metadata
    return field


def text(max_length: int, description: str, *, pattern: str = _ANYTHING, **more: Any) -> Any:
    field = Field(max_length=max_length, pattern=pattern, description=description, **more)
    requirement = f"must be a string of at most {max_length} characters"
    return with_metadata(field, Requirement(requirement, "must not hold the character U+0000"))


def word(allowed: Sequence[str], description: str, **more: Any) -> Any:
    """One word of a closed list."""
    return with_metadata(Field(description=description, **more), OneOf(tuple(allowed)))


def open_word(allowed: Sequence[str], description: str, **more: Any) -> Any:
    """One word of a list that may grow within v1, so clients must accept any word (docs/contract/contract.md 4.13)."""
    return text(60, description, pattern=WORD, json_schema_extra=open_to(allowed), **more)


def open_to(words: Sequence[str]) -> dict[str, Any]:
    """The part of a schema that names the known words of an open list."""
    return {"x-extensible-enum": list(words)}


def integer(low: int, high: int, description: str, **more: Any) -> Any:
    field = Field(ge=low, le=high, description=description, **more)
    return with_metadata(field, Requirement(f"must be an integer from {low} to {high}"))


def money(description: str) -> Any:
    """Whole units of the row's currency; null means unknown, never 0."""
    return integer(-INT64 - 1, INT64, description)


def percent(description: str) -> Any:
    return Field(ge=0, le=100, description=description)


def boolean(description: str, **more: Any) -> Any:
    return with_metadata(Field(description=description, **more), Requirement("must be true or false"))


def date(description: str, **more: Any) -> Any:
    field = Field(description=description, json_schema_extra={"maxLength": 10}, **more)
    return with_metadata(field, Requirement("must be a date, for example 2026-01-31"))


def instant(description: str, **more: Any) -> Any:
    field = Field(description=description, json_schema_extra={"maxLength": 30}, **more)
    return with_metadata(field, Requirement("must be a date and time, for example 2026-01-31T12:00:00Z"))


def url(description: str) -> Any:
    return Field(max_length=2048, description=description, json_schema_extra={"format": "uri"})


def array(max_length: int, description: str, **more: Any) -> Any:
    return Field(max_length=max_length, description=description, **more)


def natural_id(prefix: str, description: str) -> Any:
    """A prefixed id of 26 characters: derived from what it names, or a ULID."""
    return text(30, description, pattern=id_pattern(prefix))


def id_pattern(prefix: str) -> str:
    return f"^{prefix}_[0-9a-z]{{26}}$"
