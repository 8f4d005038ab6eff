"""`/docs`: the documentation, as `make docs` has built it, and the search in it.

Does not belong here: the files (`api.public_pages.docs_files`), or finding (`api.public_pages.docs_search`).
"""

from typing import Final
from urllib.parse import parse_qs, quote

from litestar import get
from litestar.params import FromPath

from api.http.context import PlainRequest, RequestContext
from api.http.response_headers import NO_STORE
from api.http.responses import PUBLIC_CACHE, HttpResponse
from api.public_pages.docs_search import LONGEST_QUERY
from api.public_pages.rendering import PAGE_SAFETY, PUBLIC_PAGE, document_response, render_page

_ROOT: Final = "/docs"


@get(["/docs", "/docs/{address:path}"], policy=PUBLIC_PAGE)
async def show_docs(request: PlainRequest, address: FromPath[str] = "") -> HttpResponse:
    """A file of the site; a page's address ends in a slash, for its links are relative to it."""
    context = request.context
    context.canonical_path = None  # that of a page has its slash
    site = context.services.public_pages.docs
    if not site.is_built:
        return _missing_site(context)
    name = address.strip("/")
    page = f"{name}/" if name else ""
    if site.has_page(page):
        if not context.path.endswith("/"):
            return _redirect(context, f"{_ROOT}/{page}")
        name = page
    found = site.find(name)
    if found is None:
        return document_response(context, render_page(context, "docs_unknown.html"), status=404, headers=(NO_STORE,))
    return document_response(context, found, headers=(PUBLIC_CACHE,))


@get("/docs/search", policy=PUBLIC_PAGE)
async def search_docs(request: PlainRequest) -> HttpResponse:
    """Sections with every word of the parameter `q`."""
    context = request.context
    pages = context.services.public_pages
    if not pages.docs.is_built:
        return _missing_site(context)
    query = parse_qs(context.query_string.decode("latin-1")).get("q", [""])[0][:LONGEST_QUERY]
    page = render_page(context, "docs_search.html", query=query, results=pages.docs_search.find(query))
    return document_response(context, page, headers=(PUBLIC_CACHE,))


def _missing_site(context: RequestContext) -> HttpResponse:
    """503: the documentation belongs to every installation, and this one has not built it yet."""
    return document_response(context, render_page(context, "docs_missing.html"), status=503, headers=(NO_STORE,))


def _redirect(context: RequestContext, path: str) -> HttpResponse:
    """To a page that the site has; never to what a request names."""
    root = context.services.public_pages.path_prefix
    location = (b"location", quote(root + path).encode())
    return HttpResponse(308, [location, (b"content-length", b"0"), PUBLIC_CACHE, *PAGE_SAFETY], b"")
