"""`/llms.txt`: what the service is and where its documents are, for language models (llmstxt.org).

Does not belong here: the texts (`templates/llms.txt`).
"""

from litestar import get

from api.http.context import PUBLIC_DOCUMENT, PlainRequest
from api.http.responses import PUBLIC_CACHE, HttpResponse
from api.public_pages.rendering import PublicDocument, document_response, render_text
from warehouse.schema.codes import MARKET_NAMES, SERVED

_TEXT = b"text/plain; charset=utf-8"


@get("/llms.txt", policy=PUBLIC_DOCUMENT)
async def get_llms_text(request: PlainRequest) -> HttpResponse:
    context = request.context

    async def render() -> PublicDocument:
        names = [MARKET_NAMES[code] for code in SERVED]
        return PublicDocument.of(_TEXT, render_text(context, "llms.txt", served_names=names))

    document = await context.services.public_pages.documents.get("llms.txt", None, render)
    return document_response(context, document, headers=(PUBLIC_CACHE,), safety=())
