"""Strict query parsing: every parameter is declared once, for both parsing and documentation.

Litestar takes the last of repeated parameters, ignores unknown ones and reads `1.0` as an integer; here
unknown, repeated and malformed parameters are a 400 with a hint. Belongs here: the declaration and the parsing
of query strings. Does not belong here: value types (`api.http.query.types`), or the parameters of an operation
(`api.companies.query_params`).
"""

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar, cast
from urllib.parse import unquote_to_bytes

from api.problems.problem import ProblemDetail, ProblemError, new_problem, parameter_problem

T = TypeVar("T")
_BROKEN_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SHOWN: Final = 60  # maximum characters of caller input repeated in a response
_PAGING: Final = ("limit", "cursor")


@dataclass(eq=False, slots=True)
class InvalidParameterError(ValueError):
    """Raised for an invalid value: an error code and the requirement, which continues «'limit' …»."""

    code: str
    requirement: str


@dataclass(frozen=True)
class QueryParam(Generic[T]):
    """One query parameter: its name, parser, default and JSON schema."""

    name: str
    parse: Callable[[str], T]
    default: T
    description: str
    schema: Mapping[str, Any]
    is_list: bool = False
    """Comma-separated in the query, an array in the schema."""
    example: Any = None


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """Parsed values of one query, by declaration."""

    by_name: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, parameter: QueryParam[T]) -> T:
        return cast("T", self.by_name.get(parameter.name, parameter.default))

    def filters(self) -> list[tuple[str, str]]:
        """Everything but paging, sorted: the filters that a cursor is bound to."""
        return sorted((name, repr(value)) for name, value in self.by_name.items() if name not in _PAGING)


_NOTHING: Final = ParsedQuery()


class QueryParams:
    """The parameters of one operation."""

    def __init__(self, *parameters: QueryParam[Any]) -> None:
        self.parameters = parameters
        self._by_name = {parameter.name: parameter for parameter in parameters}

    def read(self, query_string: bytes) -> ParsedQuery:
        """Parses a query string; 400 for the first error: unknown, then repeated, then invalid values."""
        if not query_string:
            return _NOTHING
        pairs = _split_query(query_string)
        self._check_names(pairs)
        values: dict[str, Any] = {}
        wrong: list[ProblemDetail] = []
        for name, text in pairs:
            try:
                values[name] = self._by_name[name].parse(text)
            except InvalidParameterError as bad:
                wrong.append(ProblemDetail(bad.code, bad.requirement, parameter=name))
        if wrong:
            raise _invalid_values_problem(wrong)
        return ParsedQuery(values)

    def _check_names(self, pairs: list[tuple[str, str]]) -> None:
        names = [name for name, _ in pairs]
        for name in names:
            if name not in self._by_name:
                raise self._unknown_problem(name)
        for name in names:
            if names.count(name) > 1:
                raise new_problem(
                    "duplicate_parameter",
                    f"'{name}' may be given only once.",
                    ProblemDetail("duplicate", f"given {names.count(name)} times", parameter=name),
                )

    def _unknown_problem(self, name: str) -> ProblemError:
        shown = name[:_SHOWN]
        near = difflib.get_close_matches(shown, self._by_name, 1)
        hint = f"did you mean '{near[0]}'?" if near else self._known_names()
        meant = f"Did you mean '{near[0]}'?" if near else f"{self._known_names().capitalize()}."
        return new_problem(
            "unknown_parameter",
            f"Unknown query parameter '{shown}'. {meant}",
            ProblemDetail("unknown", hint, parameter=shown),
        )

    def _known_names(self) -> str:
        return f"allowed: {', '.join(self._by_name)}" if self._by_name else "this operation has no parameters"


def _split_query(query_string: bytes) -> list[tuple[str, str]]:
    text = query_string.decode("latin-1")
    pairs: list[tuple[str, str]] = []
    for part in text.split("&"):
        if part:
            name, _, value = part.partition("=")
            name = _percent_decode(name, name)
            pairs.append((name, _percent_decode(value, name)))
    return pairs


def _percent_decode(text: str, parameter: str) -> str:
    """Percent-decodes text and rejects malformed escapes instead of guessing."""
    if text.isascii() and text.isalnum():
        return text
    wrong = parameter_problem(parameter[:_SHOWN], "encoding", "must be percent-encoded UTF-8")
    if _BROKEN_ESCAPE.search(text):
        raise wrong
    try:
        return unquote_to_bytes(text.replace("+", " ").encode("latin-1")).decode()
    except UnicodeError:
        raise wrong from None


def _invalid_values_problem(wrong: list[ProblemDetail]) -> ProblemError:
    first = wrong[0]
    detail = f"'{first.parameter}' {first.detail}." if len(wrong) == 1 else f"{len(wrong)} parameters are not valid."
    return new_problem("invalid_parameter", detail, *wrong)


NO_PARAMETERS: Final = QueryParams()
