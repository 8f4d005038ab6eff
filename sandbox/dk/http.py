"""Simulates the Danish distributions on one day of a world, without HTTP (docs/formats/dk.md).

Belongs here: paths, passwords and scrolls -> responses. Does not belong here: what an index has (`indexes`), how it is
searched (`elasticsearch`), sockets (`sandbox.http.server`).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sandbox.dk import elasticsearch, indexes, publications
from sandbox.dk.elasticsearch import SearchError, SearchIndex
from sandbox.shared.response import NOT_FOUND, Query, SandboxResponse, compile_routes
from sandbox.world import World

ACCOUNT: Final = ("sandbox", "sandbox")  # user and password of the closed indexes
CREDENTIALS: Final[Mapping[str, tuple[str, str]]] = {"distribution.virk.dk": ACCOUNT}
AUTHORIZATION: Final = f"Basic {base64.b64encode(':'.join(ACCOUNT).encode()).decode()}"
_SCROLL: Final = "/_search/scroll"
_CLOSED: Final[Mapping[str, Callable[[World, int], SearchIndex]]] = {
    "/cvr-permanent/virksomhed/_search": indexes.company_index,
    "/cvr-permanent/deltager/_search": indexes.person_index,
}
_OPEN: Final[Mapping[str, Callable[[World, int], SearchIndex]]] = {"/offentliggoerelser/_search": indexes.report_index}
_INDEXES: Final = {**_CLOSED, **_OPEN}


@dataclass(frozen=True, slots=True)
class DanishRequest:
    """A search; `authorization`: the header of that name."""

    path: str
    query: Query
    body: bytes
    authorization: str = ""


def search_response(world: World, day: int, asked: DanishRequest) -> SandboxResponse | None:
    """The response to a search; None if the path is none, or the world has no Danish companies."""
    path, body, scroll = asked.path, asked.body, asked.query.get("scroll")
    if indexes.MARKET not in world.markets or path not in {*_INDEXES, _SCROLL}:
        return None
    if path == _SCROLL:
        try:
            path, body = elasticsearch.scroll_body(body)
        except SearchError as error:
            return elasticsearch.scroll_error(error)
        scroll = "2m"
    if path in _CLOSED and asked.authorization != AUTHORIZATION:
        return SandboxResponse(401, "text/plain", b"", headers={"WWW-Authenticate": 'Basic realm="CVR"'})
    return elasticsearch.search_response(_INDEXES[path](world, day), path, body, scroll)


def report_document(world: World, day: int, _query: Query, number: str, name: str, _ending: str) -> SandboxResponse:
    """One document of a publication: gzip bytes for some, which no header says."""
    position = publications.company_position(int(number))
    if position >= world.count(indexes.MARKET, day):
        return NOT_FOUND
    company = world.company(indexes.MARKET, position, day)
    for accounts in company.accounts:
        for document in publications.report_documents(company, accounts):
            path = publications.document_path(accounts, document)
            if str(accounts.document) == number and f"/{name}." in path and accounts.published <= world.date(day):
                return SandboxResponse(200, document.media_type, document.sent_bytes)
    return NOT_FOUND


ROUTES: Final = compile_routes({publications.ADDRESS: report_document})
