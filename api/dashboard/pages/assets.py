"""Static files: served from this host and cached by browsers until they change."""

from api.dashboard.routing import SAFETY, PageRequest, dashboard_page
from api.dashboard.templating import static_assets
from api.http.responses import HttpResponse
from api.problems.problem import new_problem

_FOREVER = (b"cache-control", b"public, max-age=31536000, immutable")
_FOR_A_WHILE = (b"cache-control", b"public, max-age=300")


@dashboard_page("/dashboard/assets/{name:str}", is_anonymous=True)
async def get_asset(request: PageRequest) -> HttpResponse:
    asset = static_assets().get(request.context.path_parameters["name"])
    if asset is None:
        raise new_problem("route_not_found", "File not found.")
    is_named = request.context.query_string == f"v={asset.version}".encode()
    headers = [
        (b"content-type", asset.media_type),
        (b"content-length", b"%d" % len(asset.body)),
        _FOREVER if is_named else _FOR_A_WHILE,
        *SAFETY,
    ]
    return HttpResponse(200, headers, asset.body)
