"""What the registries' endpoints answer on one day of a world, without HTTP.

Belongs here: path and query -> status, headers and body, per market; large bodies are made once a day and
kept in a temporary folder. Does not belong here: sockets, ranges and faults (`server`).
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from connectors.sandbox import (
    desk_fi,
    desk_no,
    desk_se,
    desk_us,
    entities_no,
    esef_desk,
    gleif_desk,
    nsm_desk,
    oslo_desk,
    roles_no,
    subunits_no,
    writers_fi,
    writers_no,
    writers_uk,
    writers_us,
)
from connectors.sandbox.feeds_no import Temper
from connectors.sandbox.world import World

_HTML: Final = {"Content-Type": "text/html"}
_JSON: Final = {"Content-Type": "application/json"}
_HAL: Final = {"Content-Type": "application/vnd.brreg.enhetsregisteret.enhet.v2+json;charset=UTF-8"}
_BANKS: Final = ("64.", "65.")  # layouts that the open accounts API cannot show


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; `body` is a file for what is large.

    `fixed`: carries validators and may be asked for in ranges.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes | Path
    fixed: bool = False
    tag: str | None = None


_NOT_FOUND: Final = Answer(404, _HTML, b"<html><body>404 Not Found</body></html>")


@dataclass(slots=True)
class Desk:
    """The registries on one day.

    `removed`: numbers that Enhetsregisteret took out for legal reasons (410). `temper`: what its change feeds do
    wrong.
    """

    world: World
    folder: Path
    day: int = 0
    removed: frozenset[str] = frozenset()
    temper: Temper = field(default_factory=Temper)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _tags: dict[Path, str] = field(default_factory=dict)

    def advance(self) -> int:
        """The next day; ValueError after the last."""
        if self.day + 1 >= self.world.days:
            raise ValueError(f"the world ends on {self.world.date(self.day)}")
        self.day += 1
        return self.day

    def answer(self, path: str, query: str = "", authorization: str = "") -> Answer:
        """The answer to GET `path`, with what was asked after the `?`; 404 where no registry has such a page."""
        for pattern, make in _ROUTES:
            found = pattern.fullmatch(path)
            if found:
                return make(self, *found.groups())
        for pattern, told in desk_no.ROUTES:
            found = pattern.fullmatch(path)
            if found:
                self.temper.removed = self.removed
                asked = desk_no.Asked(self.world, self.day, self.temper, dict(parse_qsl(query)))
                said = told(asked, *found.groups())
                return Answer(said.status, {"Content-Type": said.kind}, said.body)
        for pattern, reply in _QUERIED:
            found = pattern.fullmatch(path)
            if found:
                made = reply(self.world, self.day, dict(parse_qsl(query)), *found.groups())
                return Answer(made.status, {"Content-Type": made.kind}, made.body)
        question = desk_se.Question(path, dict(parse_qsl(query)), None, authorization)
        return self._swedish(question) or _NOT_FOUND

    def post(self, path: str, body: bytes, authorization: str) -> Answer:
        """The answer to POST `path`."""
        searched = nsm_desk.posted(self.world, self.day, path, body)
        if searched is not None:
            return Answer(searched.status, {"Content-Type": searched.kind}, searched.body)
        return self._swedish(desk_se.Question(path, {}, body, authorization)) or _NOT_FOUND

    def _swedish(self, question: desk_se.Question) -> Answer | None:
        large = desk_se.written(self.world, self.day, question.path) if question.body is None else None
        if large is not None:
            return self.kept(large.name, _streamed(large), "application/zip")
        made = desk_se.reply(self.world, self.day, question)
        return None if made is None else Answer(made.status, {"Content-Type": made.kind}, made.body)

    def kept(self, name: str, write: Callable[[Path], None], kind: str) -> Answer:
        """A large body, written on first demand. One at a time: a second caller finds it ready."""
        path = self.folder / str(self.day) / name
        with self._lock:
            if path not in self._tags:
                path.parent.mkdir(parents=True, exist_ok=True)
                write(path)
                with path.open("rb") as file:
                    self._tags[path] = hashlib.file_digest(file, "sha256").hexdigest()[:32]
        return Answer(200, {"Content-Type": kind}, path, fixed=True, tag=self._tags[path])


def _streamed(large: desk_se.Written) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            large.write(file)

    return write


def _bulk_json(desk: Desk) -> Answer:
    def write(path: Path) -> None:
        with writers_no.compressed(path) as file:
            file.writelines(writers_no.json_chunks(desk.world, desk.day))

    return desk.kept(
        "enheter_alle.json.gz", write, "application/vnd.brreg.enhetsregisteret.enhet.v2+gzip;charset=UTF-8"
    )


def _bulk_csv(desk: Desk) -> Answer:
    def write(path: Path) -> None:
        with writers_no.compressed(path) as file:
            file.writelines(writers_no.csv_chunks(desk.world, desk.day))

    return desk.kept(
        "enheter_alle.csv.gz", write, "application/vnd.brreg.enhetsregisteret.enhet+csv;charset=UTF-8"
    )


def _packed(
    name: str, chunks: Callable[[World, int], Iterator[bytes]], kind: str
) -> Callable[[Desk], Answer]:
    """A gzip of one of Enhetsregisteret's complete files."""

    def answer(desk: Desk) -> Answer:
        def write(path: Path) -> None:
            with writers_no.compressed(path) as file:
                file.writelines(chunks(desk.world, desk.day))

        return desk.kept(name, write, f"application/vnd.brreg.enhetsregisteret.{kind};charset=UTF-8")

    return answer


def _entity(desk: Desk, number: str) -> Answer:
    if number in desk.removed:
        return _json(410, {"status": 410, "error": "Gone", "message": "Fjernet av juridiske årsaker"}, _HAL)
    company = desk.world.find("NO", number, desk.day)
    if company is None:
        return Answer(404, _HAL, b"")
    return _json(200, entities_no.entity(company), _HAL)


def _accounts(desk: Desk, number: str) -> Answer:
    company = desk.world.find("NO", number, desk.day)
    if company and company.industry and company.industry.code.startswith(_BANKS):
        return _json(
            500,
            {
                "timestamp": f"{desk.world.date(desk.day)}T04:00:00.000+0000",
                "status": "500",
                "error": "Internal Server Error",
                "message": "An error occurred while processing the request.",
                "path": f"/regnskapsregisteret/regnskap/{number}",
                "trace": "00000000-0000-4000-8000-000000000000",
            },
        )
    if company is None or not company.accounts:
        return Answer(404, _JSON, b"")
    return Answer(200, _JSON, writers_no.accounts_answer(company))


def _json(status: int, value: object, headers: Mapping[str, str] = _JSON) -> Answer:
    return Answer(status, headers, json.dumps(value, ensure_ascii=False).encode())


def _company_page(desk: Desk) -> Answer:
    name = writers_uk.companies_name(desk.world.date(desk.day))
    return _page("Free Company Data Product", [f"{name}.zip"], f"{desk.world.date(desk.day):%d/%m/%Y}")


def _psc_page(desk: Desk) -> Answer:
    name = writers_uk.psc_name(desk.world.date(desk.day))
    title = "People with significant control (PSC) snapshot"
    return _page(title, [f"{name}.zip"], f"{desk.world.date(desk.day):%d/%m/%Y} 07:28hrs")


def _accounts_page(desk: Desk) -> Answer:
    days = [
        desk.world.date(day) for day in range(desk.day, max(desk.day - 60, -1), -1)
    ]  # kept for sixty days
    names = [f"{writers_uk.accounts_name(day)}.zip" for day in days]
    return _page("Free Accounts Data Product", names, f"{days[0]:%d/%m/%Y}")


def _page(title: str, names: list[str], updated: str) -> Answer:
    links = "\n".join(f'                    <li><a href="{name}">{name}  (1Mb)</a></li>\n' for name in names)
    body = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en">\n'
        "<head><title>Companies House</title></head>\n"
        f"<body>\n            <h1>{title}</h1>\n                <ul>\n{links}\n                </ul>\n"
        f"                <strong>Last Updated:</strong> {updated}\n</body>\n</html>\n"
    )
    return Answer(200, _HTML, body.encode())


def _zip(desk: Desk, name: str) -> Answer:
    """Only what a page links today; accounts of former days stay."""
    for day in range(desk.day, -1, -1):
        date = desk.world.date(day)
        today = {writers_uk.companies_name(date), writers_uk.psc_name(date)} if day == desk.day else set()
        if name in today | {writers_uk.accounts_name(date)}:
            return desk.kept(f"{name}.zip", _writing(desk.world, day, name), "application/zip")
    return Answer(404, _HTML, b"<html><body>404 Not Found</body></html>")


def _writing(world: World, day: int, name: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            writers_uk.write_zip(world, day, name, file)

    return write


def _finnish_bulk(desk: Desk) -> Answer:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            writers_fi.write_bulk(desk.world, desk.day, file)

    return desk.kept("all_companies.zip", write, "application/zip")


def _no_single_records(_desk: Desk, _number: str) -> Answer:
    """The keyed REST API is not played: to it every company is unknown."""
    return _json(404, {"errors": [{"error": "company-profile-not-found", "type": "ch:service"}]})


def _american(name: str, write_whole: Callable[[World, int, Any], None]) -> Callable[[Desk], Answer]:
    """A nightly archive of EDGAR."""

    def answer(desk: Desk) -> Answer:
        def write(path: Path) -> None:
            with path.open("wb") as file:
                write_whole(desk.world, desk.day, file)

        return desk.kept(name, write, "application/zip")

    return answer


_ENTITIES: Final = "/enhetsregisteret/api/enheter"
_ROUTES: Final[tuple[tuple[re.Pattern[str], Callable[..., Answer]], ...]] = (
    (re.compile(f"{_ENTITIES}/lastned"), _bulk_json),
    (re.compile(f"{_ENTITIES}/lastned/csv"), _bulk_csv),
    (
        re.compile("/enhetsregisteret/api/underenheter/lastned/csv"),
        _packed("underenheter_alle.csv.gz", subunits_no.csv_chunks, "underenhet.v2+gzip"),
    ),
    (
        re.compile("/enhetsregisteret/api/roller/totalbestand"),
        _packed("roller_alle.json.gz", roles_no.all_chunks, "rolle.v1+gzip"),
    ),
    (re.compile(f"{_ENTITIES}/([^/]+)"), _entity),
    (re.compile(r"/regnskapsregisteret/regnskap/([^/]+)"), _accounts),
    (re.compile(r"/en_output\.html"), _company_page),
    (re.compile(r"/en_pscdata\.html"), _psc_page),
    (re.compile(r"/en_accountsdata\.html"), _accounts_page),
    (re.compile(r"/opendata-ytj-api/v3/all_companies"), _finnish_bulk),
    (re.compile(r"/([\w-]+)\.zip"), _zip),
    (
        re.compile(r"/Archives/edgar/daily-index/bulkdata/submissions\.zip"),
        _american("submissions.zip", writers_us.write_submissions),
    ),
    (
        re.compile(r"/Archives/edgar/daily-index/xbrl/companyfacts\.zip"),
        _american("companyfacts.zip", writers_us.write_facts),
    ),
    (re.compile(r"/company/([^/]+)(?:/.*)?"), _no_single_records),
)
# Desks that look at the query: a page, a number, a filter.
_QUERIED: Final[tuple[tuple[re.Pattern[str], Callable[..., Any]], ...]] = (
    *desk_fi.ROUTES,
    *esef_desk.ROUTES,
    *gleif_desk.ROUTES,
    *nsm_desk.ROUTES,
    *oslo_desk.ROUTES,
    *desk_us.ROUTES,
)
