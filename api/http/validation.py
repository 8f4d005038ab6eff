"""Errors of pydantic as entries of `errors[]`: a stable code, and the requirement that the field declares.

Validators of ours raise `PydanticCustomError(code, detail)`, which is taken as it is. Does not belong here: names of
parameters and pointers into bodies (`api.http.query.model`, `api.http.body_validation`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import core_schema

from api.schemas.declare import Requirement

Place = tuple[str | int, ...]
_UNDECLARED: Final = Requirement("is not valid")
_OF_PYDANTIC: Final = frozenset(get_args(core_schema.ErrorType))


@dataclass(frozen=True, slots=True)
class FieldError:
    """One error: its place in the input (a field, and where in its value), code and requirement."""

    place: Place
    code: str
    detail: str
    model: type[BaseModel]
    """The model of the object that has the field: that of the input, or of an object in it."""

    @property
    def name(self) -> str:
        return str(self.place[0])


def field_errors(model: type[BaseModel], invalid: ValidationError, codes: Mapping[str, str]) -> list[FieldError]:
    """The errors in pydantic's order; `codes`: those of its kinds of error that are no error of format."""
    found: list[FieldError] = []
    for error in invalid.errors(include_url=False, include_context=False, include_input=False):
        kind, place = error["type"], error["loc"]
        owner, name = _owner(model, place)
        if kind in _OF_PYDANTIC:
            found.append(FieldError(place, codes.get(kind, "format"), _requirement(owner, name, kind), owner))
        else:
            found.append(FieldError(place, kind, error["msg"], owner))
    return found


def _owner(model: type[BaseModel], place: Place) -> tuple[type[BaseModel], str]:
    """The innermost object that a place names a field of, and that field; entries of arrays belong to their field."""
    name = str(place[0])
    for step in place[1:]:
        inner = _object_of(model, name)
        if inner is None:
            break
        model, name = inner, str(step)
    return model, name


def _object_of(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    """The model of a field that is an object, or null."""
    field = model.model_fields.get(name)
    if field is None:
        return None
    kinds = (field.annotation, *get_args(field.annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def _requirement(model: type[BaseModel], name: str, kind: str) -> str:
    """What the value of a field must be, as the field declares it; `kind`: pydantic's kind of the error."""
    fields = model.model_fields.items()
    marks = (mark for key, field in fields if name in (key, field.alias) for mark in field.metadata)
    declared = next((mark for mark in marks if isinstance(mark, Requirement)), _UNDECLARED)
    return declared.characters if kind == "string_pattern_mismatch" and declared.characters else declared.text
