"""Static files: served from this host and cached by browsers until they change."""

from litestar import get
from litestar.params import FromPath

from api.dashboard.routing import ANONYMOUS, SAFETY, CurrentPage
from api.dashboard.templating import static_assets
from api.http.compression import GZIP, accepts_gzip, gzip_document
from api.http.responses import HttpResponse, file_cache
from api.problems.problem import new_problem


@get("/dashboard/assets/{name:str}", access=ANONYMOUS)
async def get_asset(page: CurrentPage, name: FromPath[str]) -> HttpResponse:
    asset = static_assets().get(name)
    if asset is None:
        raise new_problem("route_not_found", "File not found.")
    is_named = asset.is_named_by_content or page.context.query_string == f"v={asset.version}".encode()
    is_compressed = accepts_gzip(page.context.request_headers.get(b"accept-encoding", b""))
    body = gzip_document(asset.body) if is_compressed else asset.body
    headers = [
        (b"content-type", asset.media_type),
        (b"content-length", b"%d" % len(body)),
        file_cache(is_named_by_content=is_named),
        (b"vary", b"Accept-Encoding"),
        *([GZIP] if is_compressed else []),
        *SAFETY,
    ]
    return HttpResponse(200, headers, body)
