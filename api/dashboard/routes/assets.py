"""Static files: served from this host and cached by browsers until they change."""

from api.answers import Answer
from api.dashboard.pages import SAFETY, Visit, page
from api.dashboard.rendering import assets
from api.problems import problem

_FOREVER = (b"cache-control", b"public, max-age=31536000, immutable")
_FOR_A_WHILE = (b"cache-control", b"public, max-age=300")


@page("/dashboard/assets/{name:str}", for_anyone=True)
async def get_asset(visit: Visit) -> Answer:
    asset = assets().get(visit.call.places["name"])
    if asset is None:
        raise problem("route_not_found", "File not found.")
    is_named = visit.call.query == f"v={asset.version}".encode()
    headers = [
        (b"content-type", asset.media_type),
        (b"content-length", b"%d" % len(asset.body)),
        _FOREVER if is_named else _FOR_A_WHILE,
        *SAFETY,
    ]
    return Answer(200, headers, asset.body)
