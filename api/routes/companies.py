"""The company profile, with and without a market in the path. A stored document, so no thread is needed.

See docs/contract/contract.md 4.1.
"""

import msgspec

from api.answers import Answer, data_answer
from api.call import Call
from api.companies import location, market_in_path, named_in_market, named_in_path, not_found
from api.conditional import digest
from api.endpoints import endpoint
from api.pages import merged
from api.parameters import Values
from api.queries import FIELDS, INCLUDE, PROFILE, PROFILE_FIELDS
from warehouse.reading import Document, Snapshot
from warehouse.schema.identifiers import CompanyNumber, parse

_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


@endpoint("/api/v1/companies/{org_number:str}")
async def get_company(call: Call) -> Answer:
    values = PROFILE.read(call.query)
    number = named_in_path(call.places["org_number"])
    return _profile(call, number, values)


@endpoint("/api/v1/{market:str}/companies/{org_number:str}")
async def get_company_in_market(call: Call) -> Answer:
    market = market_in_path(call.places["market"])
    values = PROFILE.read(call.query)
    text = call.places["org_number"]
    number = named_in_market(market, text)
    return _profile(call, number, values, text)


def _profile(call: Call, number: CompanyNumber, values: Values, scoped: str | None = None) -> Answer:
    with call.service.reader.pin() as snapshot:
        document = snapshot.profile(number.company_id)
        if document is None:
            elsewhere = parse(scoped) if scoped else None
            if elsewhere and elsewhere.market != number.market and snapshot.head(elsewhere.company_id):
                raise not_found(elsewhere, "wrong_market")
            raise not_found(number)
        body, tag = _shown(snapshot, document, values)
        return data_answer(call, call.service.stamps.of(snapshot), body, tag, location(call, number))


def _shown(snapshot: Snapshot, document: Document, values: Values) -> tuple[bytes, bytes]:
    """The stored body and ETag, unless the query adds or selects fields."""
    if not values.by_name:
        return document.body, document.etag.encode()
    include, fields = values[INCLUDE], values[FIELDS]
    body = selected(document.body, fields) if fields else document.body
    if include:
        body = merged(snapshot.parts(document.company_id), include, body)
    return body, digest(body)


def selected(body: bytes, fields: tuple[str, ...]) -> bytes:
    """Selects some fields of a profile, in their order; `id` is always included."""
    members = _MEMBERS.decode(body)
    return msgspec.json.encode(
        {name: members[name] for name in PROFILE_FIELDS if name == "id" or name in fields}
    )
