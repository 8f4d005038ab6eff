"""Simulates Enhetsregisteret and Regnskapsregisteret on one day of a world, without HTTP.

Belongs here: path and query -> status, content type and body (docs/formats/no.md 2 to 6). Does not belong
here: the records (`files`, `enheter`), which entries feeds have (`feeds`), sockets (`http.routes`, `http.server`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from sandbox.no import enheter, feeds, files, roller, underenheter
from sandbox.no.feeds import FeedFaults
from sandbox.shared.response import JSON, CachedResponses, Query, SandboxResponse, compile_routes, json_response
from sandbox.world import World

_API: Final = "/enhetsregisteret/api"
_VENDOR: Final = "application/vnd.brreg.enhetsregisteret"
_ENTITY: Final = f"{_VENDOR}.enhet.v2+json;charset=UTF-8"
_SUB_UNIT: Final = f"{_VENDOR}.underenhet.v2+json;charset=UTF-8"
_BANKS: Final = ("64.", "65.")  # industries with layouts that the open accounts API does not support


def _gzip_file_route(
    name: str, chunks: Callable[[World, int], Iterator[bytes]], kind: str
) -> Callable[[CachedResponses], SandboxResponse]:
    """Handler for a gzip of one of Enhetsregisteret's complete files."""
    return lambda desk: desk.cached_body(
        name, lambda file: files.write_gzip(file, name, chunks(desk.world, desk.day)), f"{_VENDOR}.{kind};charset=UTF-8"
    )


def _entity_response(desk: CachedResponses, number: str) -> SandboxResponse:
    if number in desk.removed:
        return json_response({"status": 410, "error": "Gone", "message": "Fjernet av juridiske årsaker"}, 410, _ENTITY)
    company = desk.world.find("NO", number, desk.day)
    if company is None:
        return SandboxResponse(404, _ENTITY, b"")
    return json_response(enheter.entity_record(company), 200, _ENTITY)


def _accounts_response(desk: CachedResponses, number: str) -> SandboxResponse:
    company = desk.world.find("NO", number, desk.day)
    if company and company.industry and company.industry.code.startswith(_BANKS):
        return json_response(
            {
                "timestamp": f"{desk.world.date(desk.day)}T04:00:00.000+0000",
                "status": "500",
                "error": "Internal Server Error",
                "message": "An error occurred while processing the request.",
                "path": f"/regnskapsregisteret/regnskap/{number}",
                "trace": "00000000-0000-4000-8000-000000000000",
            },
            500,
        )
    if company is None or not company.accounts:
        return SandboxResponse(404, JSON, b"")
    return SandboxResponse(200, JSON, files.accounts_body(company))


def _roles_response(desk: CachedResponses, number: str) -> SandboxResponse:
    company = desk.world.find("NO", number, desk.day)
    if number in desk.removed:
        return json_response({"status": 410, "error": "Gone", "message": "Fjernet"}, 410)
    body = roller.roles_body(company) if company is not None else None
    return SandboxResponse(404, JSON, b"") if body is None else SandboxResponse(200, JSON, body)


def _sub_unit_response(desk: CachedResponses, number: str) -> SandboxResponse:
    company = underenheter.find_sub_unit(desk.world, number, desk.day)
    if company is None:
        return SandboxResponse(404, _SUB_UNIT, b"")
    return json_response(underenheter.sub_unit_record(company), 200, _SUB_UNIT)


def feed_response(desk: CachedResponses, feed_faults: FeedFaults, query: Query, stream: str) -> SandboxResponse:
    """Entries of a change feed, at a path of `FEED_PATHS`."""
    found = feeds.feed_entries(desk.world, desk.day, stream, feed_faults)
    if stream == feeds.ROLES:
        return json_response(feeds.cloud_events(found, query, feed_faults))
    return json_response(feeds.hal_page(stream, found, query, feed_faults))


FEED_PATHS: Final = re.compile(rf"{_API}/oppdateringer/(enheter|underenheter|roller)")
ROUTES: Final = compile_routes(
    {
        rf"{_API}/enheter/lastned": _gzip_file_route("enheter_alle.json.gz", files.json_chunks, "enhet.v2+gzip"),
        rf"{_API}/enheter/lastned/csv": _gzip_file_route("enheter_alle.csv.gz", files.csv_chunks, "enhet+csv"),
        rf"{_API}/underenheter/lastned/csv": _gzip_file_route(
            "underenheter_alle.csv.gz", files.sub_unit_chunks, "underenhet.v2+gzip"
        ),
        rf"{_API}/roller/totalbestand": _gzip_file_route(
            "roller_alle.json.gz", roller.role_file_chunks, "rolle.v1+gzip"
        ),
        rf"{_API}/enheter/([^/]+)": _entity_response,
        rf"{_API}/enheter/(\d+)/roller": _roles_response,
        rf"{_API}/underenheter/(\d+)": _sub_unit_response,
        r"/regnskapsregisteret/regnskap/([^/]+)": _accounts_response,
    }
)
