"""Static files of the pages for everyone, cached by browsers until they change."""

from litestar import get
from litestar.params import FromPath

from api.http.context import PlainRequest
from api.http.responses import HttpResponse, file_cache
from api.problems.problem import new_problem
from api.public_pages.rendering import PAGE_SAFETY, PUBLIC_PAGE, public_assets


@get("/assets/{name:str}", policy=PUBLIC_PAGE)
async def get_public_asset(request: PlainRequest, name: FromPath[str]) -> HttpResponse:
    asset = public_assets().get(name)
    if asset is None:
        raise new_problem("route_not_found", "File not found.")
    is_named = request.context.query_string == f"v={asset.version}".encode()
    headers = [
        (b"content-type", asset.media_type),
        (b"content-length", b"%d" % len(asset.body)),
        file_cache(is_named_by_content=is_named),
        *PAGE_SAFETY,
    ]
    return HttpResponse(200, headers, asset.body)
