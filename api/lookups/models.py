"""Items to look up and their answers as objects of requests and responses (docs/contract/contract.md 4.8d).

What is no item (a wrong type, an unknown member) is an error of the request. An item that lacks a member, or has a
value that no company can have, is an answer of that item alone (`api.lookups.item_identifiers`), so that one bad row
of a list does not lose the others. Does not belong here: finding companies (`api.lookups.resolve`).
"""

from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import Field, PlainValidator

from api.companies.query_params import PROFILE_FIELDS
from api.companies.schemas.companies import Company, CompanySelection
from api.http.body_validation import (
    ValidationErrors,
    json_pointer,
    parse_body,
    read_body,
    request_array_field,
    unrepeated,
)
from api.http.json_body import Object
from api.openapi.problem_responses import InputError
from api.schemas import declare, shared
from api.schemas.declare import OMITTED, RequestModel, ResponseModel, invalid_value

T = TypeVar("T")
MOST_ITEMS: Final = 500
ITEMS_PER_REQUEST: Final = 10
"""Items that count as one request, started tens in full."""
MATCHES: Final = ("exact", "probable", "ambiguous", "none")
REASONS: Final = (
    *("id", "number", "lei", "isin", "ticker", "vat"),
    *("exact_name", "exact_core", "folded_core", "spelling_variant", "other_form", "similar"),
    *("municipality", "industry", "other_municipality", "other_industry"),
    *("other_country", "other_number", "other_lei", "other_vat", "other_name"),
)
MOST_CANDIDATES: Final = 5
_MOST_ERRORS: Final = 100  # of items that are read
_SHORT: Final = 60
_NAME: Final = 300
IDENTIFIERS: Final = ("id", "number", "lei", "isin", "ticker", "vat", "name")
"""Members of which an item has at least one."""


class LookupItem(RequestModel):
    """A company to look up, by one identifier or several that mean the same company."""

    id: str = declare.text(
        _SHORT, "A company's id, or its number in a spelling that needs no country.", default=OMITTED
    )
    number: str = declare.text(_SHORT, "Registry number in any spelling; with `country`.", default=OMITTED)
    country: str = declare.text(_SHORT, "Market code, or GB.", default=OMITTED)
    lei: str = declare.text(_SHORT, "Legal entity identifier.", default=OMITTED)
    isin: str = declare.text(_SHORT, "ISIN of one of its securities.", default=OMITTED)
    ticker: str = declare.text(_SHORT, "Symbol; with `exchange_mic`.", default=OMITTED)
    exchange_mic: str = declare.text(_SHORT, "ISO 10383.", default=OMITTED)
    vat: str = declare.text(_SHORT, "VAT number, with its country's letters or with `country`.", default=OMITTED)
    name: str = declare.text(_NAME, "Name, with or without its legal form; with `country`.", default=OMITTED)
    municipality: str = declare.text(_NAME, "With `name`: chooses between namesakes.", default=OMITTED)
    industry: str = declare.text(
        _SHORT, "With `name`: the beginning of an industry code; chooses between namesakes.", default=OMITTED
    )


def _check_items(value: Any) -> list[Any]:
    """The items, not yet read: `read_lookup` reads them one by one, so that each error names its place."""
    if not isinstance(value, list):
        raise invalid_value("type", "must be an array")
    if not value:
        raise invalid_value("empty_array", "must have at least one item")
    if len(value) > MOST_ITEMS:
        raise invalid_value("too_many", f"must have at most {MOST_ITEMS} entries")
    return value


_ProfileField = Annotated[str, declare.word(PROFILE_FIELDS, "A key of the profile."), unrepeated]


class LookupRequest(RequestModel):
    """Companies to look up."""

    items: Annotated[list[Any], PlainValidator(_check_items, json_schema_input_type=list[LookupItem])] = Field(
        description=f"The companies, in the order of the answers. Every {ITEMS_PER_REQUEST} count as one request.",
        json_schema_extra={"minItems": 1, "maxItems": MOST_ITEMS},
    )
    fields: list[_ProfileField] = request_array_field(
        len(PROFILE_FIELDS),
        "Return only these keys of each company; `id` is always returned.",
        when_empty="leave it out instead",
        default=OMITTED,
    )


class _Candidate(ResponseModel, Generic[T]):
    company: T


class MatchCandidate(_Candidate[Company | CompanySelection]):
    """A company that an item may mean."""

    score: float = Field(ge=0, le=1, description="How well it fits; 1 is best.")
    reasons: list[Annotated[str, declare.open_word(REASONS, "A reason.")]] = declare.array(
        20, "Why it may be meant, and what speaks against it (`other_…`)."
    )


class _Result(ResponseModel, Generic[T]):
    match: str = declare.word(
        MATCHES,
        "exact: the identifiers mean one company. probable: the name means one company. ambiguous: see `candidates`. "
        "none: no company.",
    )
    company: T | None = Field(description="The company, if exact or probable; else null.")


class LookupResult(_Result[Company | CompanySelection]):
    """The answer to one item."""

    candidates: list[MatchCandidate] = declare.array(
        MOST_CANDIDATES,
        "With probable the company and others like it, with ambiguous those that may be meant; best first.",
    )
    errors: list[InputError] = declare.array(
        20,
        "Only on an item that lacks a member, or has a value that no company can have; then match is none.",
        default=None,
    )


class LookupAnswer(ResponseModel):
    """One answer per item, in their order."""

    data: list[LookupResult] = declare.array(MOST_ITEMS, "The answers.")


class Suggestion(ResponseModel):
    """A company that what was typed may be the beginning of."""

    id: shared.CompanyId
    org_number: shared.OrgNumber
    name: shared.CompanyName
    country: shared.Country
    status: str = declare.word(("active", "dormant", "dissolved"), "Status of the company.")
    is_listed: bool = declare.boolean("Whether there is evidence of a listing.")
    matched_by: str = declare.open_word(("number", "identifier", "ticker", "name"), "What begins with the text.")


class SuggestionList(ResponseModel):
    """Suggestions, best first."""

    data: list[Suggestion] = declare.array(20, "The suggestions.")


def read_lookup(body: Object) -> tuple[list[LookupItem], tuple[str, ...]]:
    """Items and fields of a request, or the 422 with the first hundred errors."""
    asked, errors = read_body(LookupRequest, body), ValidationErrors()
    items: list[LookupItem] = []
    for place, item in enumerate(asked.items):
        read = _read_item(item, place, errors)
        if read is not None:
            items.append(read)
        if errors.count >= _MOST_ERRORS:
            break
    errors.check()
    return items, tuple(asked.fields or ())


def _read_item(item: Any, place: int, errors: ValidationErrors) -> LookupItem | None:
    at = json_pointer("items", place)
    if not isinstance(item, dict):
        errors.add("type", "must be an object", at)
        return None
    own = ValidationErrors()
    read = parse_body(LookupItem, item, own)
    for error in own.errors:
        errors.add(error.code, error.detail, f"{at}{error.pointer}")
    return read
