"""Routes that document the API, without a key: the OpenAPI document, and a help page per type of problem."""

import msgspec

from api.http.context import CorsPolicy, RequestContext
from api.http.responses import HttpResponse, public_response
from api.http.routing import endpoint
from api.problems.catalogue import BY_SLUG
from api.problems.problem import not_found_problem


@endpoint("/api/openapi.json", is_public=True, cors_policy=CorsPolicy.ANYONE)
async def get_openapi(context: RequestContext) -> HttpResponse:
    return public_response(context, context.services.openapi_document)


@endpoint("/problems/{slug:str}", is_public=True, cors_policy=CorsPolicy.ANYONE)
async def get_problem(context: RequestContext) -> HttpResponse:
    slug = context.path_parameters["slug"]
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
    return public_response(context, msgspec.json.encode(page))
