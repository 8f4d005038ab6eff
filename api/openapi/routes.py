"""Routes that document the API, without a key: the OpenAPI document, and a help page per type of problem."""

import msgspec

from api.http.context import CorsPolicy, RequestContext
from api.http.responses import HttpResponse, public_response
from api.http.routing import endpoint
from api.problems.catalogue import BY_SLUG
from api.problems.problem import not_found


@endpoint("/api/openapi.json", public=True, sharing=CorsPolicy.ANYONE)
async def get_openapi(call: RequestContext) -> HttpResponse:
    return public_response(call, call.service.openapi)


@endpoint("/problems/{slug:str}", public=True, sharing=CorsPolicy.ANYONE)
async def get_problem(call: RequestContext) -> HttpResponse:
    slug = call.places["slug"]
    kind = BY_SLUG.get(slug)
    if kind is None:
        raise not_found(call.path)
    page = {
        "type": kind.type_url(call.service.settings.public_url),
        "code": kind.code,
        "title": kind.title,
        "statuses": [kind.status, *kind.other_statuses],
        "explanation": kind.explanation,
        "fix": kind.fix,
    }
    return public_response(call, msgspec.json.encode(page))
