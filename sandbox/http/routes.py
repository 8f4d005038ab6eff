"""Simulates the registries' endpoints on one day of a world, without HTTP.

Belongs here: routing path and query to a market's endpoints. Does not belong here: the responses of one market
(`sandbox.<cc>.http` and its neighbours), sockets, ranges and faults (`server`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import parse_qsl

from sandbox.dk import http as dk_http
from sandbox.fi import files as fi_files
from sandbox.fi import http as fi_http
from sandbox.news import http as news_http
from sandbox.no import http as no_http
from sandbox.no import oslo_http
from sandbox.no.feeds import FeedFaults
from sandbox.se import http as se_http
from sandbox.shared import esef_http, firds_http, gleif_http, regulators_http
from sandbox.shared.response import (
    NOT_FOUND,
    CachedResponses,
    Query,
    SandboxResponse,
    archive_handler,
    compile_routes,
    find_handler,
)
from sandbox.uk import http_bulk as uk_http_bulk
from sandbox.uk import nsm_http, rest_http, stream_http
from sandbox.uk.rest_http import RestApi
from sandbox.uk.stream_http import StreamApi, StreamResponse
from sandbox.us import files as us_files
from sandbox.us import http as us_http


@dataclass(slots=True)
class RegistryResponder(CachedResponses):
    """The simulated registries on one day. `feed_faults`: faults of the Norwegian change feeds."""

    feed_faults: FeedFaults = field(default_factory=FeedFaults)
    rest: RestApi = field(default_factory=RestApi)
    streams: StreamApi = field(default_factory=StreamApi)
    swedish_outages: se_http.ProducerOutages = field(default_factory=se_http.ProducerOutages)

    def advance(self) -> int:
        """Moves to the next day; raises ValueError after the last."""
        if self.day + 1 >= self.world.days:
            raise ValueError(f"the world ends on {self.world.date(self.day)}")
        self.day += 1
        self.streams.notify_new_day()
        return self.day

    def respond(self, path: str, query: str = "", authorization: str = "") -> SandboxResponse | StreamResponse:
        """The response to GET `path` with its query string; 404 if no registry has such a page."""
        asked = dict(parse_qsl(query))
        large = find_handler(_ROUTES, path)
        if large is not None:
            return large(self)
        feed = no_http.FEED_PATHS.fullmatch(path)
        if feed is not None:
            self.feed_faults.removed = self.removed
            return no_http.feed_response(self, self.feed_faults, asked, feed[1])
        return (
            self._respond_companies_house(path, asked, authorization)
            or dk_http.search_response(self.world, self.day, dk_http.DanishRequest(path, asked, b"", authorization))
            or self._respond_by_query(path, asked, authorization)
        )

    def post(self, path: str, body: bytes, authorization: str, query: str = "") -> SandboxResponse:
        """The response to POST `path` with its query string."""
        asked = dict(parse_qsl(query))
        return (
            nsm_http.search_response(self.world, self.day, path, body)
            or dk_http.search_response(self.world, self.day, dk_http.DanishRequest(path, asked, body, authorization))
            or regulators_http.sanction_search_response(path)
            or self._respond_swedish(se_http.SwedishRequest(path, {}, body, authorization))
        )

    def _respond_companies_house(
        self, path: str, asked: Query, authorization: str
    ) -> SandboxResponse | StreamResponse | None:
        """The keyed APIs of Companies House, each with its own key."""
        single = rest_http.PATHS.fullmatch(path)
        if single:
            return self.rest.reply(self.world, self.day, single, asked, authorization)
        stream = stream_http.PATHS.fullmatch(path)
        if stream:
            return self.streams.reply(self.world, lambda: self.day, stream[1], asked, authorization)
        return None

    def _respond_by_query(self, path: str, asked: Query, authorization: str) -> SandboxResponse:
        """A page, a number, a filter; a response that stays the same all day carries a validator."""
        queried = find_handler(_QUERIED, path)
        if queried is None:
            return self._respond_swedish(se_http.SwedishRequest(path, asked, None, authorization))
        made = queried(self.world, self.day, asked)
        if made.is_cacheable and isinstance(made.body, bytes):
            return replace(made, tag=hashlib.sha256(made.body).hexdigest()[:32])
        return made

    def _respond_swedish(self, question: se_http.SwedishRequest) -> SandboxResponse:
        return se_http.registry_response(self.world, self.day, question, self.swedish_outages) or NOT_FOUND


_EDGAR: Final = r"/Archives/edgar/daily-index"
_ROUTES: Final = (
    *no_http.ROUTES,
    *compile_routes(
        {
            r"/opendata-ytj-api/v3/all_companies": archive_handler("all_companies.zip", fi_files.write_bulk),
            rf"{_EDGAR}/bulkdata/submissions\.zip": archive_handler("submissions.zip", us_files.write_submissions),
            rf"{_EDGAR}/xbrl/companyfacts\.zip": archive_handler("companyfacts.zip", us_files.write_facts),
        }
    ),
    *se_http.ROUTES,
    *uk_http_bulk.ROUTES,
)
# Endpoints with query parameters: a page, a number, a filter.
_QUERIED: Final = (
    *fi_http.ROUTES,
    *esef_http.ROUTES,
    *gleif_http.ROUTES,
    *nsm_http.ROUTES,
    *oslo_http.ROUTES,
    *news_http.ROUTES,
    *firds_http.ROUTES,
    *us_http.ROUTES,
    *regulators_http.ROUTES,
    *dk_http.ROUTES,
)
