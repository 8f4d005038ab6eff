"""Reconciliation Service API 0.2 (docs/contract/contract.md 4.8e): manifest, queries, values, suggestions, preview.

Keys are sent in the Authorization header, as a bearer token or as the password of HTTP Basic; there is no JSONP.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

import msgspec
from litestar import get, post
from litestar.status_codes import HTTP_200_OK

from api.companies.lookup import number_from_path, require_head
from api.http.body_validation import read_body
from api.http.content_negotiation import HTML
from api.http.context import SECRET_KEY, ApiRequest, PlainRequest, RequestContext
from api.http.cors import Header
from api.http.form_body import FORM_TYPE, parse_form
from api.http.json_body import BodyPolicy, in_body_thread
from api.http.pagination.responses import query_release
from api.http.query.fields import REQUIRED, free_text_field
from api.http.query.model import QueryModel
from api.http.response_headers import NO_STORE, VARY
from api.http.responses import HttpResponse, json_response
from api.lookups.models import ITEMS_PER_REQUEST
from api.openapi.examples import reconcile as examples
from api.openapi.operation import Operation, RequestBody
from api.problems.problem import parameter_problem
from api.reconcile import answers
from api.reconcile.company_values import CompanyValues
from api.reconcile.models import (
    MOST_SUGGESTED,
    ExtendedRows,
    ProposedProperties,
    ReconciliationManifest,
    ReconciliationResult,
    SuggestedEntities,
    SuggestedProperties,
    SuggestedTypes,
)
from api.reconcile.preview import HEADERS, preview_page
from api.reconcile.requests import (
    BODY_LIMIT,
    MOST_QUERIES,
    MOST_ROWS,
    ExtensionRequest,
    ReconcileForm,
    ReconcileParams,
    read_request,
)
from api.reconcile.vocabulary import ENTITY_TYPES
from api.schemas import declare
from warehouse.reader.reader import PinnedRelease

_POLICY: Final = replace(SECRET_KEY, accepts_basic=True)
_FORM: Final = BodyPolicy(limit=BODY_LIMIT, media_types=(FORM_TYPE,), parse=parse_form)
_PAGE: Final = 10  # suggested companies
_RELEASE: Final = ("Firm-Release",)
_Results = dict[str, ReconciliationResult]
_PREVIEW_SCHEMA: Final = {
    "type": "string",
    "contentMediaType": "text/html",
    "maxLength": 65_536,
    "pattern": "^<!DOCTYPE html>",
}

_EntityTypeWord = Annotated[str | None, declare.word([*ENTITY_TYPES], "Only of this type.")]


class SuggestEntityParams(QueryModel):
    prefix: str | None = free_text_field(
        100, "What has been typed: the beginning of a name, number or symbol.", json_schema_extra=REQUIRED
    )
    type: _EntityTypeWord = None
    cursor: Annotated[int, declare.integer(0, MOST_SUGGESTED - _PAGE, "Suggestions to leave out at the start.")] = 0


class SuggestWordParams(QueryModel):
    prefix: str | None = free_text_field(100, "What has been typed; everything without it.")


class PreviewParams(QueryModel):
    id: str | None = free_text_field(60, "Id of a company.", json_schema_extra=REQUIRED)


class ProposeParams(QueryModel):
    type: _EntityTypeWord = None
    limit: Annotated[int | None, declare.integer(1, 100, "Maximum number of properties.")] = None


@get(
    answers.PATH,
    policy=_POLICY,
    summary="Get the reconciliation manifest",
    description="What the service offers to OpenRefine and other clients of the Reconciliation Service API 0.2. With "
    "`queries` or `extend` the same as the POST, for what fits in a URL.",
    response_description="The manifest, the candidates of each query, or the values of each company.",
    operation=Operation(
        ReconciliationManifest | ExtendedRows | _Results, _RELEASE, examples.MANIFEST, error_statuses=(422,)
    ),
)
async def get_reconciliation(request: ApiRequest[ReconcileParams]) -> HttpResponse:
    context, values = request.context, request.values
    if values.queries is None and values.extend is None:
        offered = answers.manifest(context.services.settings.public_url)
        return await _release_response(context, lambda _: offered)
    return await _reconcile(context, values.queries, values.extend)


@post(
    answers.PATH,
    policy=replace(_POLICY, body=_FORM),
    summary="Reconcile names and identifiers with companies",
    description=f"`queries`: up to {MOST_QUERIES} queries by key; each answer has candidates, best first, of which one "
    "has `match: true` where a look-up would be `exact` or `probable`. The text of a query is a name or an identifier; "
    "its properties are what else is known. "
    f"`extend`: values of properties of up to {MOST_ROWS} companies. Every {ITEMS_PER_REQUEST} queries or companies "
    "count as one request. A value that no company can have is in `errors` of its query.",
    status_code=HTTP_200_OK,
    response_description="The candidates of each query, or the values of each company.",
    operation=Operation(
        _Results | ExtendedRows,
        _RELEASE,
        examples.RESULTS,
        body=RequestBody(ReconcileForm, examples.FORM),
        is_read=True,
    ),
)
async def reconcile(request: PlainRequest) -> HttpResponse:
    form = read_body(ReconcileForm, request.context.required_json_body)
    return await _reconcile(request.context, form.queries, form.extend)


async def _reconcile(context: RequestContext, queries: str | None, extend: str | None) -> HttpResponse:
    asked = await in_body_thread(read_request, queries, extend)
    rows = len(asked.company_ids) if isinstance(asked, ExtensionRequest) else len(asked)
    if rows > ITEMS_PER_REQUEST:
        context.reserve_requests(-(-rows // ITEMS_PER_REQUEST))
    return await _release_response(context, lambda snapshot: answers.answer_request(snapshot, asked))


async def _release_response(context: RequestContext, answer: Callable[[PinnedRelease], dict[str, Any]]) -> HttpResponse:
    told = await query_release(context, lambda snapshot: msgspec.json.encode(answer(snapshot)))
    return json_response(200, told.value, _release_header(told.stamps))


def _release_header(stamps: Sequence[Header]) -> list[Header]:
    return [header for header in stamps if header[0] == b"firm-release"]


@get(
    f"{answers.PATH}/suggest/entity",
    policy=_POLICY,
    summary="Suggest companies to choose from",
    description="As `/api/v1/companies/suggest`, in the form of the Reconciliation Service API 0.2.",
    operation=Operation(SuggestedEntities, _RELEASE, examples.SUGGESTED_ENTITIES),
)
async def suggest_reconciliation_entities(request: ApiRequest[SuggestEntityParams]) -> HttpResponse:
    values = request.values
    if values.prefix is None:
        raise parameter_problem("prefix", "required", "is required")
    text, start = values.prefix.strip(), values.cursor
    markets = () if values.type is None else ENTITY_TYPES[values.type].markets

    def suggest(snapshot: PinnedRelease) -> dict[str, Any]:
        found = snapshot.suggest_companies(text, markets, start + _PAGE)
        return answers.suggested_entities(found[start:], snapshot)

    return await _release_response(request.context, suggest)


@get(
    f"{answers.PATH}/suggest/type",
    policy=_POLICY,
    summary="Suggest types",
    description="Types whose id or name begins with what is typed: all companies, or those of one market.",
    operation=Operation(SuggestedTypes, (), examples.SUGGESTED_TYPES),
)
async def suggest_reconciliation_types(request: ApiRequest[SuggestWordParams]) -> HttpResponse:
    return json_response(200, msgspec.json.encode(answers.suggested_types(request.values.prefix or "")))


@get(
    f"{answers.PATH}/suggest/property",
    policy=_POLICY,
    summary="Suggest properties",
    description="Properties whose id or name begins with what is typed.",
    operation=Operation(SuggestedProperties, (), examples.SUGGESTED_PROPERTIES),
)
async def suggest_reconciliation_properties(request: ApiRequest[SuggestWordParams]) -> HttpResponse:
    return json_response(200, msgspec.json.encode(answers.suggested_properties(request.values.prefix or "")))


@get(
    f"{answers.PATH}/extend/propose",
    policy=_POLICY,
    summary="Propose properties to extend by",
    description="The properties whose values `extend` returns; they are the same for every type.",
    operation=Operation(ProposedProperties, (), examples.PROPOSED_PROPERTIES),
)
async def propose_reconciliation_properties(request: ApiRequest[ProposeParams]) -> HttpResponse:
    return json_response(
        200, msgspec.json.encode(answers.proposed_properties(request.values.type, request.values.limit))
    )


@get(
    f"{answers.PATH}/preview",
    policy=replace(_POLICY, media_type=HTML),
    summary="Preview a company",
    description="A small page about one company, to be shown in a frame; without scripts.",
    response_description="The page.",
    operation=Operation(_PREVIEW_SCHEMA, _RELEASE),
)
async def preview_reconciliation_entity(request: ApiRequest[PreviewParams]) -> HttpResponse:
    if request.values.id is None:
        raise parameter_problem("id", "required", "is required")
    number = number_from_path(request.values.id, "id")

    def show(snapshot: PinnedRelease) -> bytes:
        require_head(snapshot, number)
        return preview_page(CompanyValues(snapshot, number.company_id))

    told = await query_release(request.context, show)
    length = (b"content-length", b"%d" % len(told.value))
    return HttpResponse(200, [*HEADERS, length, NO_STORE, VARY, *_release_header(told.stamps)], told.value)
