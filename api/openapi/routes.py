"""The route of the OpenAPI document, without a key.

Does not belong here: pages that explain the API to people (`api.public_pages`).
"""

from litestar import get

from api.http.context import PUBLIC_DOCUMENT, PlainRequest
from api.http.responses import HttpResponse, public_response
from api.openapi.operation import Operation
from api.openapi.response_headers import OF_DOCUMENT


@get(
    "/api/openapi.json",
    policy=PUBLIC_DOCUMENT,
    query=None,  # any, as other static documents take
    summary="Get the OpenAPI document",
    description="No key required; a key is accepted. Not counted against the quota.",
    response_description="The document.",
    operation=Operation({"type": "object", "description": "An OpenAPI 3.1 document."}, OF_DOCUMENT),
)
async def get_open_api(request: PlainRequest) -> HttpResponse:
    return public_response(request.context, request.context.services.openapi_document)
