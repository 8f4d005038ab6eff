"""Routes that document the API, without a key: the OpenAPI document, and a help page per type of problem."""

import msgspec
from litestar import get
from litestar.params import FromPath

from api.http.context import PUBLIC_DOCUMENT, ApiRequest
from api.http.responses import HttpResponse, public_response
from api.openapi.operation import Operation
from api.openapi.response_headers import OF_DOCUMENT
from api.openapi.setting_words import fill_words, setting_words
from api.problems.problem import BY_SLUG, not_found_problem


@get(
    "/api/openapi.json",
    policy=PUBLIC_DOCUMENT,
    operation_id="getOpenApi",
    tags=["Service"],
    summary="Get the OpenAPI document",
    description="No key required; a key is accepted. Not counted against the quota.",
    response_description="The document.",
    operation=Operation({"type": "object", "description": "An OpenAPI 3.1 document."}, OF_DOCUMENT),
)
async def get_openapi(request: ApiRequest) -> HttpResponse:
    context = request.context
    return public_response(context, context.services.openapi_document)


@get("/problems/{slug:str}", policy=PUBLIC_DOCUMENT)
async def get_problem(request: ApiRequest, slug: FromPath[str]) -> HttpResponse:
    context = request.context
    kind = BY_SLUG.get(slug)
    if kind is None:
        raise not_found_problem(context.path)
    page = {
        "type": kind.type_url(context.services.settings.public_url),
        "code": kind.code,
        "title": kind.title,
        "statuses": [kind.status, *kind.other_statuses],
        "explanation": kind.explanation,
        "fix": kind.fix,
    }
    words = setting_words(context.services.settings)
    return public_response(context, fill_words(msgspec.json.encode(page), words))
