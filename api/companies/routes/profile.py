"""The company profile, with and without a market in the path. A stored document, so no thread is needed.

See docs/contract/contract.md 4.1.
"""

import msgspec

from api.companies.lookup import (
    company_not_found,
    content_location,
    market_from_path,
    number_from_path,
    number_in_market,
)
from api.companies.query_params import FIELDS, INCLUDE, PROFILE, PROFILE_FIELDS
from api.http.context import RequestContext
from api.http.etags import content_digest
from api.http.pagination.responses import merge_json_objects
from api.http.query.params import ParsedQuery
from api.http.responses import HttpResponse, data_response
from api.http.routing import endpoint
from warehouse.reader.types import ProfileDocument, ReleaseSnapshot
from warehouse.schema.identifiers import CompanyNumber, parse

_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


@endpoint("/api/v1/companies/{org_number:str}")
async def get_company(call: RequestContext) -> HttpResponse:
    values = PROFILE.read(call.query)
    number = number_from_path(call.places["org_number"])
    return _profile_response(call, number, values)


@endpoint("/api/v1/{market:str}/companies/{org_number:str}")
async def get_company_in_market(call: RequestContext) -> HttpResponse:
    market = market_from_path(call.places["market"])
    values = PROFILE.read(call.query)
    text = call.places["org_number"]
    number = number_in_market(market, text)
    return _profile_response(call, number, values, text)


def _profile_response(
    call: RequestContext, number: CompanyNumber, values: ParsedQuery, scoped: str | None = None
) -> HttpResponse:
    with call.service.reader.pin() as snapshot:
        document = snapshot.profile(number.company_id)
        if document is None:
            elsewhere = parse(scoped) if scoped else None
            if elsewhere and elsewhere.market != number.market and snapshot.head(elsewhere.company_id):
                raise company_not_found(elsewhere, "wrong_market")
            raise company_not_found(number)
        body, tag = _profile_body(snapshot, document, values)
        return data_response(
            call, call.service.stamps.of(snapshot), body, tag, content_location(call, number)
        )


def _profile_body(
    snapshot: ReleaseSnapshot, document: ProfileDocument, values: ParsedQuery
) -> tuple[bytes, bytes]:
    """The stored body and ETag, unless the query adds or selects fields."""
    if not values.by_name:
        return document.body, document.etag.encode()
    include, fields = values[INCLUDE], values[FIELDS]
    body = select_fields(document.body, fields) if fields else document.body
    if include:
        body = merge_json_objects(snapshot.parts(document.company_id), include, body)
    return body, content_digest(body)


def select_fields(body: bytes, fields: tuple[str, ...]) -> bytes:
    """Selects some fields of a profile, in their order; `id` is always included."""
    members = _MEMBERS.decode(body)
    return msgspec.json.encode(
        {name: members[name] for name in PROFILE_FIELDS if name == "id" or name in fields}
    )
