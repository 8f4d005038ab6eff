"""Look-ups in bulk and suggestions (docs/contract/contract.md 4.8d). Both read the release in a thread."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

import msgspec
from litestar import get, post
from litestar.status_codes import HTTP_200_OK

from api.companies.query_params import Countries
from api.companies.routes.profile import select_fields
from api.http.context import ANY_KEY, SECRET_KEY, ApiRequest, PlainRequest
from api.http.json_body import BodyPolicy, in_body_thread
from api.http.pagination.responses import query_release
from api.http.query.fields import REQUIRED, free_text_field
from api.http.query.model import QueryModel
from api.http.response_headers import content_digest
from api.http.responses import HttpResponse, data_response, json_response
from api.lookups.models import (
    ITEMS_PER_REQUEST,
    MOST_ITEMS,
    LookupAnswer,
    LookupItem,
    LookupRequest,
    SuggestionList,
    read_lookup,
)
from api.lookups.resolve import ItemMatch, resolve_items
from api.openapi.examples import lookups as examples
from api.openapi.operation import Operation, RequestBody
from api.openapi.response_headers import OF_DATA
from api.problems.problem import parameter_problem
from api.schemas import declare
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import Suggestion

_BODY: Final = BodyPolicy(limit=1 << 18, most_containers=MOST_ITEMS + 100)
"""500 items with names of 300 letters; braces within texts count as objects."""
_SUGGESTED: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_SHOWN: Final = ("id", "org_number", "name", "country", "status", "is_listed")


class SuggestParams(QueryModel):
    q: str | None = free_text_field(
        100, "What has been typed: the beginning of a name, number or symbol.", json_schema_extra=REQUIRED
    )
    country: Countries = ()
    limit: Annotated[int, declare.integer(1, 20, "Maximum number of suggestions.")] = 10


@post(
    "/api/v1/companies/lookup",
    policy=replace(SECRET_KEY, body=_BODY),
    summary="Look up companies",
    description=f"Which company each of up to {MOST_ITEMS} items means, in their order. An identifier that one company "
    "has is `exact`; a name alone is at most `probable`. Identifiers of one item that contradict each other, an "
    "identifier that several companies have, and a name that several companies may have are `ambiguous`: nothing is "
    "guessed. A value that no company can have, such as a VAT number with wrong check digits, is in `errors` of its "
    "item, and the other items are answered; a body that does not follow the schema is refused as a whole. Every "
    f"{ITEMS_PER_REQUEST} items count as one request.",
    status_code=HTTP_200_OK,
    operation=Operation(
        LookupAnswer,
        ("Firm-Release",),
        examples.LOOKUP_ANSWER,
        body=RequestBody(LookupRequest, examples.LOOKUP_REQUEST),
        is_read=True,
    ),
)
async def lookup_companies(request: PlainRequest) -> HttpResponse:
    context = request.context
    items, fields = await in_body_thread(read_lookup, context.required_json_body)
    context.reserve_requests(-(-len(items) // ITEMS_PER_REQUEST))
    told = await query_release(context, lambda snapshot: _lookup_body(snapshot, items, fields))
    release = [header for header in told.stamps if header[0] == b"firm-release"]
    return json_response(200, told.value, release)


def _lookup_body(snapshot: PinnedRelease, items: Sequence[LookupItem], fields: tuple[str, ...]) -> bytes:
    answers = resolve_items(snapshot, items)
    return b'{"data":[' + b",".join(_answer_json(snapshot, one, fields) for one in answers) + b"]}"


def _answer_json(snapshot: PinnedRelease, answer: ItemMatch, fields: tuple[str, ...]) -> bytes:
    told: dict[str, Any] = {
        "match": answer.match,
        "company": None if answer.company_id is None else _profile_json(snapshot, answer.company_id, fields),
        "candidates": [
            {"company": _profile_json(snapshot, one.company_id, fields), "score": one.score, "reasons": one.reasons}
            for one in answer.candidates
        ],
    }
    if answer.errors:
        told["errors"] = [{"code": one.code, "detail": one.detail, "pointer": one.pointer} for one in answer.errors]
    return msgspec.json.encode(told)


def _profile_json(snapshot: PinnedRelease, company_id: str, fields: tuple[str, ...]) -> msgspec.Raw:
    document = snapshot.profile(company_id)
    assert document is not None, f"{company_id} was found in this release"
    return msgspec.Raw(select_fields(document.body, fields) if fields else document.body)


@get(
    "/api/v1/companies/suggest",
    policy=ANY_KEY,
    summary="Suggest companies",
    description="Companies that what is typed may be the beginning of: by number, identifier, symbol, then by name, "
    "listed and large companies first. For a field with completion; search has filters, pages and typo tolerance.",
    operation=Operation(SuggestionList, OF_DATA, examples.SUGGESTIONS),
)
async def suggest_companies(request: ApiRequest[SuggestParams]) -> HttpResponse:
    context, values = request.context, request.values
    if values.q is None:
        raise parameter_problem("q", "required", "is required")
    text = values.q.strip()
    told = await query_release(context, lambda snapshot: snapshot.suggest_companies(text, values.country, values.limit))
    body = b'{"data":[' + b",".join(map(_suggestion_json, told.value)) + b"]}"
    return data_response(context, told.stamps, body, content_digest(body))


def _suggestion_json(suggestion: Suggestion) -> bytes:
    members = _SUGGESTED.decode(suggestion.body)
    return msgspec.json.encode({name: members[name] for name in _SHOWN} | {"matched_by": suggestion.matched_by})
