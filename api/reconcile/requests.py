"""What is sent to the reconciliation service: a batch of queries, or a request for values of properties.

Both are JSON in a field of a form, or in a parameter of a GET (Reconciliation Service API 0.2, sections 4 and 7). What
does not follow the shape refuses the whole request, with pointers into the JSON; a value that no company can have is
answered for its query alone (`api.reconcile.matching`). Does not belong here: answers (`api.reconcile.models`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import PlainValidator

from api.http.body_validation import ValidationErrors, json_pointer, parse_body, read_body, whole_number_field
from api.http.json_body import Object, parse_object
from api.http.query.model import QueryModel
from api.problems.problem import ProblemDetail, new_problem
from api.reconcile.vocabulary import ENTITY_TYPES, PROPERTIES, markets_of_types
from api.schemas import declare
from api.schemas.declare import OMITTED, RequestModel, invalid_value

MOST_QUERIES: Final = 50
MOST_ROWS: Final = 500
BODY_LIMIT: Final = 1 << 18
_MOST_PROPERTIES: Final = len(PROPERTIES)
_MOST_VALUES: Final = 20
_MOST_CANDIDATES: Final = 100
_MOST_CONTAINERS: Final = MOST_QUERIES * 30
_LONGEST: Final = 128_000
_LONGEST_IN_URL: Final = 4_000
_KEY: Final = 60
_JSON_TEXT: Final = {"contentMediaType": "application/json"}
_QUERIES: Final = f"A batch of at most {MOST_QUERIES} queries by key, as JSON."
_EXTEND: Final = f"Ids of at most {MOST_ROWS} companies, and the properties to return of each, as JSON."


class ReconcileForm(RequestModel):
    """A form with exactly one of its two fields, whose content is JSON."""

    queries: str = declare.text(_LONGEST, _QUERIES, json_schema_extra=_JSON_TEXT, default=OMITTED)
    extend: str = declare.text(_LONGEST, _EXTEND, json_schema_extra=_JSON_TEXT, default=OMITTED)


class ReconcileParams(QueryModel):
    """At most one of the two; the manifest without any."""

    queries: str | None = declare.text(_LONGEST_IN_URL, _QUERIES, json_schema_extra=_JSON_TEXT, default=None)
    extend: str | None = declare.text(_LONGEST_IN_URL, _EXTEND, json_schema_extra=_JSON_TEXT, default=None)


def _read_types(value: Any) -> tuple[str, ...]:
    types = [value] if isinstance(value, str) else value
    if not isinstance(types, list) or not all(isinstance(one, str) for one in types):
        raise invalid_value("type", "must be a type, or an array of types")
    if any(one not in ENTITY_TYPES for one in types):
        raise invalid_value("unknown_value", f"must be of {', '.join(ENTITY_TYPES)}")
    return tuple(types)


def _read_values(value: Any) -> tuple[str, ...]:
    """The values of a property as texts; blank ones are not stated."""
    values = value if isinstance(value, list) else [value]
    if len(values) > _MOST_VALUES:
        raise invalid_value("too_many", f"must have at most {_MOST_VALUES} values")
    return tuple(text for one in values if (text := _value_text(one).strip()))


def _value_text(value: Any) -> str:
    match value:
        case {"id": str(text)} | str(text):
            return text
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return str(int(value)) if value.is_integer() else str(value)
        case _:
            raise invalid_value("type", "must be a string, number, boolean or object with id, or an array of these")


class _QueryProperty(RequestModel):
    pid: str = declare.word([*PROPERTIES], "The property.")
    v: Annotated[tuple[str, ...], PlainValidator(_read_values)]


class _Query(RequestModel):
    query: str = declare.text(_LONGEST, "Name or identifier.", default=OMITTED)
    type: Annotated[tuple[str, ...], PlainValidator(_read_types)] = ()
    type_strict: str = declare.word(("any", "all", "should"), "Of several types.", default="any")
    limit: int = whole_number_field(1, _MOST_CANDIDATES, "Candidates.", default=_MOST_CANDIDATES)
    properties: list[_QueryProperty] = declare.array(_MOST_PROPERTIES, "What is known.", default=[])


def _check_settings(value: Any) -> None:
    if value not in (None, {}):
        raise invalid_value("unknown_member", "properties have no settings")


class _ExtendedProperty(RequestModel):
    id: str = declare.word([*PROPERTIES], "The property.")
    settings: Annotated[None, PlainValidator(_check_settings)] = None


class _Extension(RequestModel):
    ids: list[Annotated[str, declare.text(_KEY, "An id.")]] = declare.array(MOST_ROWS, "Companies.")
    properties: list[_ExtendedProperty] = declare.array(_MOST_PROPERTIES, "Properties.")


@dataclass(frozen=True, slots=True)
class ReconciliationQuery:
    """One query. `markets`: those of its types. `stated`: values and pointers by property, in the order sent."""

    text: str
    markets: tuple[str, ...]
    limit: int
    stated: Mapping[str, tuple[tuple[str, ...], str]]
    pointer: str


@dataclass(frozen=True, slots=True)
class ExtensionRequest:
    """Companies and the properties to return of each; both without repetitions."""

    company_ids: tuple[str, ...]
    property_ids: tuple[str, ...]


def read_request(queries: str | None, extend: str | None) -> dict[str, ReconciliationQuery] | ExtensionRequest:
    """What is asked for, of the two that a request may have."""
    if (queries is None) == (extend is None):
        detail = ProblemDetail("missing", "exactly one of queries, extend is required", pointer="")
        raise new_problem("validation_failed", "Exactly one of queries, extend is required.", detail)
    if queries is not None:
        return _read_queries(parse_object(queries.encode(), _MOST_CONTAINERS))
    asked = read_body(_Extension, parse_object((extend or "").encode(), _MOST_CONTAINERS))
    properties = dict.fromkeys(one.id for one in asked.properties)
    return ExtensionRequest(tuple(dict.fromkeys(asked.ids)), tuple(properties))


def _read_queries(batch: Object) -> dict[str, ReconciliationQuery]:
    errors = ValidationErrors()
    if len(batch) > MOST_QUERIES:
        errors.add("too_many", f"must have at most {MOST_QUERIES} queries", "")
        errors.check()
    read = {key: _read_query(key, query, errors) for key, query in batch.items()}
    errors.check()
    return {key: query for key, query in read.items() if query is not None}


def _read_query(key: str, query: Any, errors: ValidationErrors) -> ReconciliationQuery | None:
    pointer = json_pointer(key)
    if len(key) > _KEY:
        errors.add("too_long", f"keys have at most {_KEY} characters", pointer)
        return None
    if not isinstance(query, dict):
        errors.add("type", "must be an object", pointer)
        return None
    own = ValidationErrors()
    read = parse_body(_Query, query, own)
    for error in own.errors:
        errors.add(error.code, error.detail, f"{pointer}{error.pointer}")
    if read is None:
        return None
    stated: dict[str, tuple[tuple[str, ...], str]] = {}
    for place, one in enumerate(read.properties):
        if one.v:
            before, first = stated.get(one.pid, ((), f"{pointer}/properties/{place}/v"))
            stated[one.pid] = (*before, *one.v), first
    markets = markets_of_types(read.type, in_all=read.type_strict == "all")
    return ReconciliationQuery((read.query or "").strip(), markets, read.limit, stated, pointer)
