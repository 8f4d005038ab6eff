"""Simulates the registries' endpoints on one day of a world, without HTTP.

Belongs here: routing path and query to a market's endpoints. Does not belong here: the responses of one market
(`answers_no`, `answers_uk`, `answers_se`, `desk_*`), large bodies (`shelf`), sockets, ranges and faults (`server`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from connectors.sandbox import (
    answers_no,
    answers_uk,
    authorities_desk,
    desk_fi,
    desk_no,
    desk_se,
    desk_us,
    esef_desk,
    gleif_desk,
    nsm_desk,
    oslo_desk,
    press_desk,
    reference_desk,
    rest_uk,
    streaming_uk,
    writers_fi,
    writers_us,
)
from connectors.sandbox.feeds_no import Temper
from connectors.sandbox.reply import Reply
from connectors.sandbox.rest_uk import Rest
from connectors.sandbox.shelf import HTML, Answer, Shelf
from connectors.sandbox.streaming_uk import Flow, Streams
from connectors.sandbox.world import World

_NOT_FOUND: Final = Answer(404, HTML, b"<html><body>404 Not Found</body></html>")


@dataclass(slots=True)
class Desk(Shelf):
    """The simulated registries on one day. `temper`: faults of the Norwegian change feeds."""

    temper: Temper = field(default_factory=Temper)
    rest: Rest = field(default_factory=Rest)
    streams: Streams = field(default_factory=Streams)

    def advance(self) -> int:
        """Moves to the next day; raises ValueError after the last."""
        if self.day + 1 >= self.world.days:
            raise ValueError(f"the world ends on {self.world.date(self.day)}")
        self.day += 1
        self.streams.ring()
        return self.day

    def answer(self, path: str, query: str = "", authorization: str = "") -> Answer | Flow:
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

    def post(self, path: str, body: bytes, authorization: str) -> Answer:
        """The response to POST `path`."""
        searched = nsm_desk.posted(self.world, self.day, path, body) or authorities_desk.posted(path)
        if searched is not None:
            return Answer(searched.status, {"Content-Type": searched.kind}, searched.body)
        return self._respond_swedish(desk_se.Question(path, {}, body, authorization)) or _NOT_FOUND

    def _respond_norwegian_feed(self, path: str, asked: dict[str, str]) -> Answer | None:
        """Norwegian change feeds, with faults that a test may set."""
        for pattern, told in desk_no.ROUTES:
            found = pattern.fullmatch(path)
            if found:
                self.temper.removed = self.removed
                said = told(desk_no.Asked(self.world, self.day, self.temper, asked), *found.groups())
                return Answer(said.status, {"Content-Type": said.kind}, said.body)
        return None

    def _respond_companies_house(
        self, path: str, asked: dict[str, str], authorization: str
    ) -> Answer | Flow | None:
        """The keyed APIs of Companies House, each with its own key."""
        single = rest_uk.PATHS.fullmatch(path)
        if single:
            return self.rest.reply(self.world, self.day, single, asked, authorization)
        stream = streaming_uk.PATHS.fullmatch(path)
        if stream:
            return self.streams.reply(self.world, lambda: self.day, stream[1], asked, authorization)
        return None

    def _respond_query_route(self, path: str, asked: dict[str, str]) -> Answer | None:
        for pattern, reply in _QUERIED:
            found = pattern.fullmatch(path)
            if found:
                return _answered(reply(self.world, self.day, asked, *found.groups()))
        return None

    def _respond_swedish_get(self, path: str, asked: dict[str, str], authorization: str) -> Answer:
        return self._respond_swedish(desk_se.Question(path, asked, None, authorization)) or _NOT_FOUND

    def _respond_swedish(self, question: desk_se.Question) -> Answer | None:
        large = desk_se.written(self.world, self.day, question.path) if question.body is None else None
        if large is not None:
            return self.kept(large.name, _streamed(large.write), "application/zip")
        made = desk_se.reply(self.world, self.day, question)
        return None if made is None else Answer(made.status, {"Content-Type": made.kind}, made.body)


def _answered(made: Reply) -> Answer:
    """Converts a reply to an answer; one that stays the same all day carries a validator."""
    tag = hashlib.sha256(made.body).hexdigest()[:32] if made.fixed else None
    return Answer(made.status, {"Content-Type": made.kind}, made.body, fixed=made.fixed, tag=tag)


def _streamed(put: Callable[[Any], object]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            put(file)

    return write


def _nightly(name: str, write_whole: Callable[[World, int, Any], None]) -> Callable[[Shelf], Answer]:
    """Handler for an archive of a whole register."""

    def answer(desk: Shelf) -> Answer:
        write = _streamed(lambda file: write_whole(desk.world, desk.day, file))
        return desk.kept(name, write, "application/zip")

    return answer


_EDGAR: Final = "/Archives/edgar/daily-index"
_ROUTES: Final[tuple[tuple[re.Pattern[str], Callable[..., Answer]], ...]] = (
    *answers_no.ROUTES,
    (re.compile(r"/opendata-ytj-api/v3/all_companies"), _nightly("all_companies.zip", writers_fi.write_bulk)),
    (
        re.compile(rf"{_EDGAR}/bulkdata/submissions\.zip"),
        _nightly("submissions.zip", writers_us.write_submissions),
    ),
    (re.compile(rf"{_EDGAR}/xbrl/companyfacts\.zip"), _nightly("companyfacts.zip", writers_us.write_facts)),
    *answers_uk.ROUTES,
)
# Endpoints with query parameters: a page, a number, a filter.
_QUERIED: Final[tuple[tuple[re.Pattern[str], Callable[..., Any]], ...]] = (
    *desk_fi.ROUTES,
    *esef_desk.ROUTES,
    *gleif_desk.ROUTES,
    *nsm_desk.ROUTES,
    *oslo_desk.ROUTES,
    *press_desk.ROUTES,
    *reference_desk.ROUTES,
    *desk_us.ROUTES,
    *authorities_desk.ROUTES,
)
