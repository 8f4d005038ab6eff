"""`/docs/api`: the OpenAPI document as a page to read and to try, by a renderer from npm (`make reference`).

The only page of the service with scripts of its own. Requests that are tried go to this service alone, with the key
that is entered on the page; it stays in the page and is gone when the page is closed. Does not belong here: the OpenAPI
document (`api.openapi_document`).
"""

from pathlib import Path
from typing import Final

from litestar import get
from litestar.params import FromPath

from api.http.context import PlainRequest
from api.http.response_headers import NO_STORE
from api.http.responses import PUBLIC_CACHE, HttpResponse, file_cache
from api.problems.problem import new_problem
from api.public_pages.rendering import PUBLIC_PAGE, PublicDocument, document_response, render_page, safety_with_policy

DEFAULT_FOLDER: Final = Path(__file__).parent / "renderer" / "dist"
FILES: Final = {"swagger-ui.css": b"text/css; charset=utf-8", "swagger-ui-bundle.js": b"text/javascript; charset=utf-8"}
"""What is served of the renderer."""
POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    b"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Of this page alone: scripts and requests of this service, and images that the renderer's stylesheet holds."""


class ReferenceFiles:
    """The renderer's files, each read once; a folder without them is looked at again at every request."""

    def __init__(self, folder: Path = DEFAULT_FOLDER) -> None:
        self.folder = folder
        self._read: dict[str, PublicDocument] = {}

    @property
    def is_built(self) -> bool:
        return all(self.find(name) for name in FILES)

    def find(self, name: str) -> PublicDocument | None:
        """A file of the renderer; None if it has none by that name, or is not built."""
        if name in self._read:
            return self._read[name]
        path = self.folder / name if name in FILES else None
        if path is None or not path.is_file():
            return None
        self._read[name] = PublicDocument.of(FILES[name], path.read_bytes())
        return self._read[name]

    def versions(self) -> dict[str, str]:
        """For addresses that change with the content."""
        return {name: found.tag.decode() for name in FILES if (found := self.find(name)) is not None}


@get("/docs/api", policy=PUBLIC_PAGE)
async def show_reference(request: PlainRequest) -> HttpResponse:
    context = request.context
    pages = context.services.public_pages
    if not pages.reference.is_built:
        missing = render_page(context, "reference_missing.html")
        return document_response(context, missing, status=503, headers=(NO_STORE,))

    async def render() -> PublicDocument:
        return render_page(context, "reference.html", files=pages.reference.versions())

    page = await pages.documents.get("reference", None, render)
    return document_response(context, page, headers=(PUBLIC_CACHE,), safety=safety_with_policy(POLICY))


@get("/assets/reference/{name:str}", policy=PUBLIC_PAGE)
async def get_reference_file(request: PlainRequest, name: FromPath[str]) -> HttpResponse:
    context = request.context
    found = context.services.public_pages.reference.find(name)
    if found is None:
        raise new_problem("route_not_found", "File not found.")
    is_named = context.query_string == b"v=" + found.tag
    return document_response(context, found, headers=(file_cache(is_named_by_content=is_named),))
