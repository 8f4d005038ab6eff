"""Simulates the Swedish endpoints on one day of a world, without HTTP (docs/formats/se.md 2 to 5 and 8).

Belongs here: paths, queries and request bodies -> responses; tokens, valid for one day of the world. Does not
belong here: sockets (`server`), large bodies on disk (`answers`), the format of one record (`answers_se`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import IO, Final
from urllib.parse import parse_qsl

from connectors.sandbox import answers_se, exports_se, numbers_se, people_se, reports_se, writers_se
from connectors.sandbox.reply import Reply
from connectors.sandbox.world import World

MARKET: Final = "SE"
CLIENT: Final = ("sandbox", "sandbox")  # client id and secret that the token endpoint accepts
CREDENTIALS: Final[Mapping[str, tuple[str, str]]] = {"portal.api.bolagsverket.se": CLIENT}
_ZIP: Final = "application/zip"
_JSON: Final = "application/json"
_ERROR: Final = "application/problem+json"
_API: Final = "/vardefulla-datamangder/v1"
_ARCHIVE: Final = "/arsredovisningar-bulkfiler"
_SEARCH: Final = re.compile(r"/Publiceringsklient/(?:sv-SE|en-GB)/Search/Search")
_SHORTS: Final = re.compile(r"/sv/vara-register/blankningsregistret/Get(?:Aktuell|Hist)File/")
_NUMBER: Final = re.compile(r"\d{10}|\d{12}")


@dataclass(frozen=True, slots=True)
class Question:
    """A request; `body` is None for GET."""

    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    authorization: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """A large body: its name on disk and the function that writes it."""

    name: str
    write: Callable[[IO[bytes]], object]


def written(world: World, day: int, path: str) -> Written | None:
    """The large body at a path: bulk files, archives of reports, the spreadsheet."""
    if MARKET not in world.markets:
        return None
    name = path.rpartition("/")[2]
    if path == "/bolagsverket/bolagsverket_bulkfil.zip":
        return Written(name, lambda file: writers_se.write_organisations(world, day, file))
    if path == "/scb/scb_bulkfil.zip":
        return Written(name, lambda file: writers_se.write_statistics(world, day, file))
    if _SHORTS.fullmatch(path):
        return Written("positioner.ods", lambda file: file.write(exports_se.short_positions(world, day)))
    for listed in reports_se.listed(world, day):
        if path == f"{_ARCHIVE}/{listed.key}":
            return _archived(world, listed)
    return None


def _archived(world: World, listed: reports_se.Listed) -> Written:
    return Written(listed.key.replace("/", "_"), lambda file: file.write(_archive(world, listed.day)))


def _archive(world: World, day: int | None) -> bytes:
    return reports_se.old(world) if day is None else reports_se.weekly(world, day)


@lru_cache(maxsize=64)
def _facts(world: World, day: int | None) -> tuple[int, str]:
    """Size and ETag of an archive, for the listing."""
    body = _archive(world, day)
    return len(body), hashlib.sha256(body).hexdigest()[:32]


def reply(world: World, day: int, question: Question) -> Reply | None:
    """The response; None if no Swedish register has such a path."""
    if MARKET not in world.markets:
        return None
    if question.path == _ARCHIVE:
        return _listing(world, day, question)
    if question.path == "/oauth2/token":
        return _token(world, day, question)
    if _SEARCH.fullmatch(question.path):
        return Reply(200, "text/csv", _insiders(world, day, question.query))
    if question.path.startswith(f"{_API}/"):
        return _api(world, day, question)
    return None


def _listing(world: World, day: int, question: Question) -> Reply:
    files = reports_se.listed(world, day)
    sizes = {listed.key: _facts(world, listed.day) for listed in files}
    marker = question.query.get("marker") or None
    return Reply(200, "application/xml", reports_se.listing(files, sizes, marker))


def _token(world: World, day: int, question: Question) -> Reply:
    """Issues a token for client credentials, as form fields or HTTP Basic; anything else is rejected."""
    form = dict(parse_qsl((question.body or b"").decode("ascii", "replace")))
    basic = base64.b64encode(":".join(CLIENT).encode()).decode()
    given = (form.get("client_id"), form.get("client_secret"))
    if given != CLIENT and question.authorization != f"Basic {basic}":
        return _json({"error": "invalid_client", "error_description": "Client Authentication failed"}, 401)
    if form.get("grant_type") != "client_credentials":
        return _json({"error": "unsupported_grant_type"}, 400)
    token = {"access_token": _secret(world, day), "token_type": "Bearer", "expires_in": 3600}
    return _json({**token, "scope": form.get("scope", "")})


def _secret(world: World, day: int) -> str:
    return f"sandbox-{world.date(day)}"


def _json(value: object, status: int = 200, kind: str = _JSON) -> Reply:
    return Reply(status, kind, json.dumps(value, ensure_ascii=False).encode())


def _refused(status: int, title: str, detail: str) -> Reply:
    return _json(answers_se.error(status, title, detail), status, _ERROR)


def _api(world: World, day: int, question: Question) -> Reply:
    """Handles an API call; the token of another day is invalid."""
    if question.authorization != f"Bearer {_secret(world, day)}":
        return _refused(401, "Unauthorized", "Anroparen saknar giltiga autentiseringsuppgifter.")
    call = question.path.removeprefix(_API)
    if question.body is None:
        return Reply(200, "text/plain", b"OK") if call == "/isalive" else _package(world, day, call)
    return _about(world, day, call, _asked(question.body))


def _about(world: World, day: int, call: str, number: str | None) -> Reply:
    """The response for one number."""
    if number is None:
        return _refused(400, "Bad Request", "Identitetsbeteckning har ogiltigt format.")
    if len(number) == 10 and numbers_se.check_digit(number[:9]) != int(number[9]):  # noqa: PLR2004 - digits
        return _refused(400, "Bad Request", "Identitetsbeteckning har ogiltig kontrollsiffra.")
    if call == "/organisationer":
        return _json({"organisationer": _organisations(world, day, number)})
    if call == "/dokumentlista":
        return _json(answers_se.documents(world.find(MARKET, number, day)))
    return _refused(404, "Not Found", "Resursen finns inte.")


def _asked(body: bytes) -> str | None:
    try:
        asked = json.loads(body)
    except ValueError:
        return None
    number = asked.get("identitetsbeteckning") if isinstance(asked, dict) else None
    return number if isinstance(number, str) and _NUMBER.fullmatch(number) else None


def _organisations(world: World, day: int, number: str) -> list[answers_se.Record]:
    company = world.find(MARKET, number, day)
    if company is not None:
        return [answers_se.organisation(company, world.date(day))]
    for alone in people_se.traders(world.count(MARKET, day)):
        if alone.number == number:
            return answers_se.sole_trader(alone)
    return [answers_se.unknown()]


def _package(world: World, day: int, call: str) -> Reply:
    """A package by its id, with or without the file extension used in lists."""
    identity = call.removeprefix("/dokument/").removesuffix("_paket")
    company = world.find(MARKET, reports_se.number_of(identity), day)
    for accounts in company.accounts if company is not None else ():
        if company is not None and reports_se.document_id(company, accounts) == f"{identity}_paket":
            return Reply(200, _ZIP, reports_se.package(company, accounts))
    return _refused(404, "Not Found", "Dokumentet finns inte.")


def _insiders(world: World, day: int, query: Mapping[str, str]) -> bytes:
    """The export of a range of days; unknown parameters are silently ignored."""
    days = [_date(query.get(f"Publiceringsdatum.{end}")) for end in ("From", "To")]
    return exports_se.insider_export(world, day, days[0], days[1])


def _date(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None
