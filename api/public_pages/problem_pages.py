"""A help page per type of problem, which `type` of every error leads to: a page for browsers, JSON for programs.

Does not belong here: the catalogue of problems and its texts (`api.problems.problem`).
"""

from typing import Any

import msgspec
from litestar import get
from litestar.params import FromPath

from api.http.content_negotiation import prefers_html
from api.http.context import PUBLIC_DOCUMENT, PlainRequest, RequestContext
from api.http.responses import PUBLIC_CACHE, HttpResponse, public_response
from api.openapi.setting_words import fill_words, setting_words
from api.problems.problem import BY_SLUG, ProblemType, not_found_problem
from api.public_pages.rendering import PublicDocument, document_response, render_page

_VARY = b"Accept, Accept-Encoding"


@get("/problems/{slug:str}", policy=PUBLIC_DOCUMENT)
async def get_problem(request: PlainRequest, slug: FromPath[str]) -> HttpResponse:
    context = request.context
    kind = BY_SLUG.get(slug)
    is_page = prefers_html(context.request_headers.get(b"accept"))
    if kind is None and is_page:
        page = render_page(context, "problem_unknown.html")
        return document_response(context, page, status=404, headers=(PUBLIC_CACHE,), vary=_VARY)
    if kind is None:
        raise not_found_problem(context.path)
    body = problem_body(context, kind)
    if is_page:
        return await _problem_page(context, kind, body)
    answer = public_response(context, body)
    return HttpResponse(answer.status, [*answer.headers, (b"vary", b"Accept")], answer.body)


def problem_body(context: RequestContext, kind: ProblemType) -> bytes:
    """The JSON of a type of problem, its texts with the figures of the settings."""
    page = {
        "type": kind.type_url(context.services.settings.public_url),
        "code": kind.code,
        "title": kind.title,
        "statuses": [kind.status, *kind.other_statuses],
        "explanation": kind.explanation,
        "fix": kind.fix,
    }
    return fill_words(msgspec.json.encode(page), setting_words(context.services.settings))


async def _problem_page(context: RequestContext, kind: ProblemType, body: bytes) -> HttpResponse:
    async def render() -> PublicDocument:
        problem: dict[str, Any] = msgspec.json.decode(body)
        return render_page(context, "problem.html", problem=problem)

    page = await context.services.public_pages.documents.get(f"problem {kind.code}", None, render)
    return document_response(context, page, headers=(PUBLIC_CACHE,), vary=_VARY)
