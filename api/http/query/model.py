"""Strict query parsing: the parameters of an operation are the fields of one model, which also documents them.

Litestar takes the last of repeated parameters, ignores unknown ones and reads `1.0` as an integer; here unknown,
repeated and malformed parameters are a 400 with a hint; only `_` and `utm_…` are ignored. Belongs here: reading
query strings, and the spelling of each type of value. Does not belong here: kinds of fields (`api.schemas.declare`,
`api.http.query.fields`), or the parameters of an operation (`api.companies.query_params`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import UTC, date, datetime
from typing import Any, ClassVar, Final, Literal, Self, TypeVar, get_args, get_origin
from urllib.parse import unquote_to_bytes

from pydantic import BaseModel, ConfigDict, ValidationError

from api.http.suggestions import SHOWN, nearest_name
from api.http.validation import field_errors
from api.problems.problem import ProblemDetail, ProblemError, new_problem, parameter_problem

R = TypeVar("R")
MOST_PARAMETERS: Final = 100
_BROKEN_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,18}")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_PAGING: Final = ("limit", "cursor")
_CODES: Final = {"greater_than_equal": "out_of_range", "less_than_equal": "out_of_range"}


class QueryModel(BaseModel):
    """The parameters of one operation, each with a default."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    _reader: ClassVar["_QueryReader"]

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls._reader = _QueryReader(cls)

    @classmethod
    def read(cls, query_string: bytes) -> Self:
        """Parses a query string; 400 for the first error: unknown, then repeated, then invalid values."""
        return cls._reader.read(query_string)

    def select(self, record: type[R], **computed: Any) -> R:
        """The record (a dataclass) of a query: each field as `computed`, else the parameter of its name."""
        described: Any = record
        names = [one.name for one in fields(described)]
        return record(**{name: computed[name] if name in computed else getattr(self, name) for name in names})

    def filters(self) -> list[tuple[str, str]]:
        """Everything that was given but paging, sorted: the filters that a cursor is bound to."""
        return sorted((name, repr(getattr(self, name))) for name in self.model_fields_set if name not in _PAGING)


class _QueryReader:
    """Reads queries of one model."""

    def __init__(self, model: type[QueryModel]) -> None:
        self._model = model
        self._nothing_given = model.model_construct()
        self._validate = model.__pydantic_validator__.validate_python
        self._spellings = {
            one.alias or name: _SPELLINGS[_type_of(one.annotation)] for name, one in model.model_fields.items()
        }

    def read(self, query_string: bytes) -> Any:
        if not query_string:
            return self._nothing_given
        if query_string.count(b"&") >= MOST_PARAMETERS:
            requirement = f"at most {MOST_PARAMETERS} parameters"
            raise new_problem(
                "invalid_parameter", f"The query has {requirement}.", ProblemDetail("too_many", requirement)
            )
        pairs = _split_query(query_string)
        given = dict(pairs)
        self._check_names(given, pairs)
        try:
            return self._validate({name: self._spellings[name](text) for name, text in pairs})
        except ValidationError as invalid:
            raise self._invalid_problem(invalid, given) from None

    def _check_names(self, given: Mapping[str, str], pairs: list[tuple[str, str]]) -> None:
        if not given.keys() <= self._spellings.keys():
            raise self._unknown_problem(next(name for name in given if name not in self._spellings))
        if len(given) < len(pairs):
            name, times = next((name, times) for name, times in Counter(name for name, _ in pairs).items() if times > 1)
            raise new_problem(
                "duplicate_parameter",
                f"'{name}' may be given only once.",
                ProblemDetail("duplicate", f"given {times} times", parameter=name),
            )

    def _unknown_problem(self, name: str) -> ProblemError:
        near, shown = nearest_name(name, self._spellings), name[:SHOWN]
        known = f"allowed: {', '.join(self._spellings)}" if self._spellings else "this operation has no parameters"
        hint = f"did you mean '{near}'?" if near else known
        return new_problem(
            "unknown_parameter",
            f"Unknown query parameter '{shown}'. {hint.capitalize()}{'' if near else '.'}",
            ProblemDetail("unknown", hint, parameter=shown),
        )

    def _invalid_problem(self, invalid: ValidationError, given: Iterable[str]) -> ProblemError:
        """The 400 for invalid values: the first error of each parameter, in the order given."""
        errors = {error.name: error for error in reversed(field_errors(self._model, invalid, _CODES))}
        wrong = [
            ProblemDetail(errors[name].code, errors[name].detail, parameter=name) for name in given if name in errors
        ]
        only = wrong[0]
        detail = f"'{only.parameter}' {only.detail}." if len(wrong) == 1 else f"{len(wrong)} parameters are not valid."
        return new_problem("invalid_parameter", detail, *wrong)


class NoParameters(QueryModel):
    """The query of an operation without parameters."""


def _split_query(query_string: bytes) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for part in query_string.decode("latin-1").split("&"):
        if part and not is_ignored(part):
            name, _, value = part.partition("=")
            name = _percent_decode(name, name)
            pairs.append((name, _percent_decode(value, name)))
    return pairs


def is_ignored(part: str) -> bool:
    """True for a part of a query string, as `name=value`, whose parameter is ignored, whatever its value.

    Pages and links add `_` against caches and `utm_…` to count visits; no operation has such a parameter.
    """
    name = part.partition("=")[0]
    return name == "_" or name.startswith("utm_")


def _percent_decode(text: str, parameter: str) -> str:
    """Percent-decodes text and rejects malformed escapes instead of guessing."""
    if text.isascii() and text.isalnum():
        return text
    try:
        if not _BROKEN_ESCAPE.search(text):
            return unquote_to_bytes(text.replace("+", " ").encode("latin-1")).decode()
    except UnicodeError:
        pass  # reported as a broken escape is
    raise parameter_problem(parameter[:SHOWN], "encoding", "must be percent-encoded UTF-8")


def _type_of(annotation: Any) -> Any:
    """The type of a parameter's values: `int` of `int | None`, `tuple` of `tuple[str, ...]`."""
    origin = get_origin(annotation)
    if origin in (None, tuple, Literal):
        return origin or annotation
    return _type_of(get_args(annotation)[0])


def _to_integer(text: str) -> int | str:
    return int(text) if _INTEGER.fullmatch(text) else text


def _to_boolean(text: str) -> bool | str:
    return text == "true" if text in ("true", "false") else text


def _to_date(text: str) -> date | str:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else text
    except ValueError:  # as 31 February
        return text


def parse_instant(text: str) -> datetime | str:
    """An instant as queries spell it; any other text stays as it is."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC) if _INSTANT.fullmatch(text) else text
    except (ValueError, OverflowError):
        return text


_SPELLINGS: Final[Mapping[Any, Callable[[str], Any]]] = {
    str: str,
    Literal: str,
    int: _to_integer,
    bool: _to_boolean,
    date: _to_date,
    datetime: parse_instant,
    tuple: lambda text: tuple(text.split(",")),
}
"""How the text of a query becomes a value of each type. Any other spelling stays text, which its model refuses."""
