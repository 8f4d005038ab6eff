"""The event types that subscriptions may contain; for any secret key on any tier (docs/contract/contract.md 4.8)."""

import msgspec
from litestar import get

from api.companies.schemas.events import KINDS
from api.http.context import SECRET_KEY, PlainRequest
from api.http.response_headers import CACHE, VARY, content_digest
from api.http.responses import HttpResponse, data_response
from api.openapi.examples import webhooks as examples
from api.openapi.operation import Operation
from api.openapi.response_headers import OF_DOCUMENT
from api.webhooks.subscriptions.models import EventTypeList
from warehouse.schema.codes import EVENT_ALIASES, EVENT_TYPES

_TEXTS = {
    "filing.added": "New annual or quarterly filing for a company.",
    "filing.updated": "Filing replaced by a correction or restatement.",
    "ownership.changed": "A shareholder crossed a 5%, 10%, 20% or 50% threshold.",
    "status.changed": "Company status changed between active, dormant and dissolved.",
    "news.published": "News published about a company.",
    "event.regulatory": "Enforcement action, sanction or material announcement by a financial-market regulator.",
    "company.changed": "Name, industry, place, listing, legal form or address of a company changed in its register.",
}
_SCHEMAS = "/api/openapi.json#/components/schemas"
_BODY = msgspec.json.encode(
    {
        "data": [
            {
                "event_type": event_type,
                "description": _TEXTS[event_type],
                "aliases": [alias for alias, meant in EVENT_ALIASES.items() if meant == event_type],
                "schema_ref": f"{_SCHEMAS}/{KINDS[event_type].name}Webhook",
            }
            for event_type in EVENT_TYPES
        ],
        "next_cursor": None,
        "has_more": False,
    }
)
_TAG = content_digest(_BODY)


@get(
    "/api/v1/event-types",
    policy=SECRET_KEY,
    summary="List event types",
    description="The seven event types available to subscriptions, each with the schema of its "
    "body, which includes an example. Secret keys only; any tier.",
    operation=Operation(EventTypeList, OF_DOCUMENT, examples.EVENT_TYPES),
)
async def list_event_types(request: PlainRequest) -> HttpResponse:
    return data_response(request.context, (CACHE, VARY), _BODY, _TAG)
