"""Simulates the registries' endpoints on one day of a world, without HTTP.

Belongs here: routing path and query to a market's endpoints. Does not belong here: the responses of one market
(`no.http_bulk`, `uk.http_bulk`, `se.api_answers`, `sandbox.<cc>.http`), large bodies (`cached_responses`), sockets,
ranges and faults (`server`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from sandbox.fi import files as fi_files
from sandbox.fi import http as fi_http
from sandbox.news import http as news_http
from sandbox.no import http as no_http
from sandbox.no import http_bulk as no_http_bulk
from sandbox.no import oslo_http
from sandbox.no.feeds import FeedFaults
from sandbox.se import http as se_http
from sandbox.shared import esef_http, firds_http, gleif_http, regulators_http
from sandbox.shared.cached_responses import HTML, CachedResponse, CachedResponses
from sandbox.shared.response import SandboxResponse
from sandbox.uk import http_bulk as uk_http_bulk
from sandbox.uk import nsm_http, rest_http, stream_http
from sandbox.uk.rest_http import RestApi
from sandbox.uk.stream_http import StreamApi, StreamResponse
from sandbox.us import files as us_files
from sandbox.us import http as us_http
from sandbox.world import World

_NOT_FOUND: Final = CachedResponse(404, HTML, b"<html><body>404 Not Found</body></html>")


@dataclass(slots=True)
class RegistryResponder(CachedResponses):
    """The simulated registries on one day. `temper`: faults of the Norwegian change feeds."""

    feed_faults: FeedFaults = field(default_factory=FeedFaults)
    rest: RestApi = field(default_factory=RestApi)
    streams: StreamApi = field(default_factory=StreamApi)

    def advance(self) -> int:
        """Moves to the next day; raises ValueError after the last."""
        if self.day + 1 >= self.world.days:
            raise ValueError(f"the world ends on {self.world.date(self.day)}")
        self.day += 1
        self.streams.notify_new_day()
        return self.day

    def respond(self, path: str, query: str = "", authorization: str = "") -> CachedResponse | StreamResponse:
        """The response to GET `path` with its query string; 404 if no registry has such a page."""
        for pattern, make in _ROUTES:
            found = pattern.fullmatch(path)
            if found:
                return make(self, *found.groups())
        asked = dict(parse_qsl(query))
        return (
            self._respond_norwegian_feed(path, asked)
            or self._respond_companies_house(path, asked, authorization)
            or self._respond_query_route(path, asked)
            or self._respond_swedish_get(path, asked, authorization)
        )

    def post(self, path: str, body: bytes, authorization: str) -> CachedResponse:
        """The response to POST `path`."""
        searched = nsm_http.search_response(
            self.world, self.day, path, body
        ) or regulators_http.sanction_search_response(path)
        if searched is not None:
            return CachedResponse(searched.status, {"Content-Type": searched.kind}, searched.body)
        return self._respond_swedish(se_http.SwedishRequest(path, {}, body, authorization)) or _NOT_FOUND

    def _respond_norwegian_feed(self, path: str, asked: dict[str, str]) -> CachedResponse | None:
        """Norwegian change feeds, with faults that a test may set."""
        for pattern, told in no_http.ROUTES:
            found = pattern.fullmatch(path)
            if found:
                self.feed_faults.removed = self.removed
                said = told(no_http.RegistryRequest(self.world, self.day, self.feed_faults, asked), *found.groups())
                return CachedResponse(said.status, {"Content-Type": said.kind}, said.body)
        return None

    def _respond_companies_house(
        self, path: str, asked: dict[str, str], authorization: str
    ) -> CachedResponse | StreamResponse | None:
        """The keyed APIs of Companies House, each with its own key."""
        single = rest_http.PATHS.fullmatch(path)
        if single:
            return self.rest.reply(self.world, self.day, single, asked, authorization)
        stream = stream_http.PATHS.fullmatch(path)
        if stream:
            return self.streams.reply(self.world, lambda: self.day, stream[1], asked, authorization)
        return None

    def _respond_query_route(self, path: str, asked: dict[str, str]) -> CachedResponse | None:
        for pattern, reply in _QUERIED:
            found = pattern.fullmatch(path)
            if found:
                return _to_http_response(reply(self.world, self.day, asked, *found.groups()))
        return None

    def _respond_swedish_get(self, path: str, asked: dict[str, str], authorization: str) -> CachedResponse:
        return self._respond_swedish(se_http.SwedishRequest(path, asked, None, authorization)) or _NOT_FOUND

    def _respond_swedish(self, question: se_http.SwedishRequest) -> CachedResponse | None:
        large = se_http.large_body(self.world, self.day, question.path) if question.body is None else None
        if large is not None:
            return self.cached_body(large.name, _file_writer(large.write), "application/zip")
        made = se_http.registry_response(self.world, self.day, question)
        return None if made is None else CachedResponse(made.status, {"Content-Type": made.kind}, made.body)


def _to_http_response(made: SandboxResponse) -> CachedResponse:
    """Converts a reply to an answer; one that stays the same all day carries a validator."""
    tag = hashlib.sha256(made.body).hexdigest()[:32] if made.is_cacheable else None
    return CachedResponse(made.status, {"Content-Type": made.kind}, made.body, is_cacheable=made.is_cacheable, tag=tag)


def _file_writer(put: Callable[[Any], object]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            put(file)

    return write


def _nightly_archive(
    name: str, write_whole: Callable[[World, int, Any], None]
) -> Callable[[CachedResponses], CachedResponse]:
    """Handler for an archive of a whole register."""

    def answer(desk: CachedResponses) -> CachedResponse:
        write = _file_writer(lambda file: write_whole(desk.world, desk.day, file))
        return desk.cached_body(name, write, "application/zip")

    return answer


_EDGAR: Final = "/Archives/edgar/daily-index"
_ROUTES: Final[tuple[tuple[re.Pattern[str], Callable[..., CachedResponse]], ...]] = (
    *no_http_bulk.ROUTES,
    (re.compile(r"/opendata-ytj-api/v3/all_companies"), _nightly_archive("all_companies.zip", fi_files.write_bulk)),
    (
        re.compile(rf"{_EDGAR}/bulkdata/submissions\.zip"),
        _nightly_archive("submissions.zip", us_files.write_submissions),
    ),
    (re.compile(rf"{_EDGAR}/xbrl/companyfacts\.zip"), _nightly_archive("companyfacts.zip", us_files.write_facts)),
    *uk_http_bulk.ROUTES,
)
# Endpoints with query parameters: a page, a number, a filter.
_QUERIED: Final[tuple[tuple[re.Pattern[str], Callable[..., Any]], ...]] = (
    *fi_http.ROUTES,
    *esef_http.ROUTES,
    *gleif_http.ROUTES,
    *nsm_http.ROUTES,
    *oslo_http.ROUTES,
    *news_http.ROUTES,
    *firds_http.ROUTES,
    *us_http.ROUTES,
    *regulators_http.ROUTES,
)
