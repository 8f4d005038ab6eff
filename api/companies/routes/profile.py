"""The company profile, with and without a market in the path. A stored document, so no thread is needed.

See docs/contract/contract.md 4.1.
"""

import msgspec
from litestar import get

from api.companies.lookup import (
    company_not_found,
    content_location,
    market_from_path,
    number_from_path,
    number_in_market,
)
from api.companies.past_states import AskedState
from api.companies.path_parameters import MarketCode, OrgNumber, OrgNumberInMarket
from api.companies.query_params import ProfileParams
from api.companies.schemas.companies import PROFILE_FIELDS, Company, CompanySelection
from api.http.context import ANY_KEY, ApiRequest, RequestContext
from api.http.pagination.responses import merge_json_objects
from api.http.response_headers import content_digest
from api.http.responses import HttpResponse, data_response
from api.openapi.examples import companies as examples
from api.openapi.operation import FROM_PROFILE, Operation
from api.openapi.response_headers import OF_DATA
from warehouse.reader.reader import CompanyState, PinnedRelease
from warehouse.reader.types import ProfileDocument
from warehouse.schema.identifiers import CompanyNumber, parse_company_number

_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


_TEXT = (
    "Returns exactly 14 keys; `include` adds keys, `fields` selects keys. If the number was not "
    "sent in its canonical form, `Content-Location` names the canonical path."
)
_OPERATION = Operation(Company | CompanySelection, OF_DATA, examples.PROFILE, links=FROM_PROFILE)


@get(
    "/api/v1/companies/{org_number:str}",
    policy=ANY_KEY,
    summary="Get a company profile",
    description=_TEXT,
    response_description="The profile.",
    operation=_OPERATION,
)
async def get_company(request: ApiRequest[ProfileParams], org_number: OrgNumber) -> HttpResponse:
    return _profile_response(request.context, number_from_path(org_number), request.values)


@get(
    "/api/v1/{market:str}/companies/{org_number:str}",
    policy=ANY_KEY,
    summary="Get a company profile by market",
    description=f"The same response as without the market. {_TEXT}",
    response_description="The profile.",
    operation=_OPERATION,
)
async def get_company_in_market(
    request: ApiRequest[ProfileParams], market: MarketCode, org_number: OrgNumberInMarket
) -> HttpResponse:
    code = market_from_path(market)
    return _profile_response(request.context, number_in_market(code, org_number), request.values, org_number)


def _profile_response(
    call: RequestContext, number: CompanyNumber, values: ProfileParams, scoped: str | None = None
) -> HttpResponse:
    asked = AskedState.read(call, values)
    with call.services.release_reader.pin_release() as snapshot:
        if asked is not None:
            return _state_response(call, number, values, asked, snapshot)
        document = snapshot.profile(number.company_id)
        if document is None:
            elsewhere = parse_company_number(scoped) if scoped else None
            if elsewhere and elsewhere.market != number.market and snapshot.company_header(elsewhere.company_id):
                raise company_not_found(elsewhere, "wrong_market")
            raise company_not_found(number)
        body, tag = _profile_body(snapshot, document, values)
        return data_response(
            call, call.services.release_headers.of(snapshot), body, tag, content_location(call, number)
        )


def _state_response(
    call: RequestContext, number: CompanyNumber, values: ProfileParams, asked: AskedState, snapshot: PinnedRelease
) -> HttpResponse:
    """The profile of an earlier state, with the state that was asked for at its end."""

    def build_body(state: CompanyState) -> bytes:
        profile = state.profile()
        body = select_fields(profile, values.fields) if values.fields else profile
        return merge_json_objects(state.profile_parts(), values.include, body) if values.include else body

    start = asked.answer(snapshot, number, build_body)[:-1] + b"," + asked.day_member
    body = start + b"," + asked.instant_member + b"}"
    tag = content_digest(body if asked.has_fixed_instant else start)
    stamps = asked.stamps(call.services.release_headers.of(snapshot))
    return data_response(call, stamps, body, tag, content_location(call, number))


def _profile_body(snapshot: PinnedRelease, document: ProfileDocument, values: ProfileParams) -> tuple[bytes, bytes]:
    """The stored body and ETag, unless the query adds or selects fields."""
    if not values.model_fields_set:
        return document.body, document.etag.encode()
    body = select_fields(document.body, values.fields) if values.fields else document.body
    if values.include:
        body = merge_json_objects(snapshot.profile_parts(document.company_id), values.include, body)
    return body, content_digest(body)


def select_fields(body: bytes, fields: tuple[str, ...]) -> bytes:
    """Selects some fields of a profile, in their order; `id` is always included."""
    members = _MEMBERS.decode(body)
    return msgspec.json.encode({name: members[name] for name in PROFILE_FIELDS if name == "id" or name in fields})
