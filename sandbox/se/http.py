"""Simulates the Swedish endpoints on one day of a world, without HTTP (docs/formats/se.md 2 to 5 and 8).

Belongs here: paths, queries and request bodies -> responses; tokens, valid for one day of the world. Does not
belong here: sockets (`http.server`), the format of one record
(`api_answers`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import BinaryIO, Final
from urllib.parse import parse_qsl

from sandbox import numbers
from sandbox.se import annual_reports, api_answers, business_register, finansinspektionen, sole_traders
from sandbox.se import files as se_files
from sandbox.shared.response import (
    NOT_FOUND,
    ZIP,
    CachedResponses,
    Handler,
    Query,
    SandboxResponse,
    archive_handler,
    compile_routes,
    json_response,
)
from sandbox.world import World

MARKET: Final = "SE"
CLIENT: Final = ("sandbox", "sandbox")  # client id and secret that the token endpoint accepts
CREDENTIALS: Final[Mapping[str, tuple[str, str]]] = {
    "portal.api.bolagsverket.se": CLIENT,
    business_register.HOST: (business_register.KEY, ""),
}
_ERROR: Final = "application/problem+json"
_API: Final = "/vardefulla-datamangder/v1"
_ORGANISATIONS: Final = "/organisationer"
_ARCHIVE: Final = "/arsredovisningar-bulkfiler"
_SEARCH: Final = re.compile(r"/Publiceringsklient/(?:sv-SE|en-GB)/Search/Search")
_NUMBER: Final = re.compile(r"\d{10}|\d{12}")


@dataclass(frozen=True, slots=True)
class SwedishRequest:
    """A request; `body` is None for GET. authorization: the header of that name, or an API key."""

    path: str
    query: Query = field(default_factory=dict)
    body: bytes | None = None
    authorization: str = ""


@dataclass(slots=True)
class ProducerOutages:
    """Outages of the producers behind the API, which pass: the second request of a day is answered in full."""

    _asked: set[tuple[int, str]] = field(default_factory=set)

    def has_outage(self, day: int, number: str) -> bool:
        """Whether this request for a number is the first of the day, for which a producer may be down."""
        is_first = (day, number) not in self._asked
        self._asked.add((day, number))
        return is_first


def _swedish(handler: Handler) -> Handler:
    """Handler of a large body; a world without Swedish companies has none."""
    return lambda desk, *groups: handler(desk, *groups) if MARKET in desk.world.markets else NOT_FOUND


def _archive_response(desk: CachedResponses, key: str) -> SandboxResponse:
    """One archive of annual reports."""
    archives = annual_reports.listed_archives(desk.world, desk.day)
    listed = next((archive for archive in archives if archive.key == key), None)
    if listed is None:
        return NOT_FOUND
    return desk.cached_body(key.replace("/", "_"), lambda file: file.write(_archive_bytes(desk.world, listed.day)))


def _write_short_positions(world: World, day: int, file: BinaryIO) -> None:
    file.write(finansinspektionen.short_positions(world, day))


ROUTES: Final = compile_routes(
    {
        r"/bolagsverket/bolagsverket_bulkfil\.zip": _swedish(
            archive_handler("bolagsverket_bulkfil.zip", se_files.write_organisations)
        ),
        r"/scb/scb_bulkfil\.zip": _swedish(archive_handler("scb_bulkfil.zip", se_files.write_statistics)),
        r"/sv/vara-register/blankningsregistret/Get(?:Aktuell|Hist)File/": _swedish(
            archive_handler("positioner.ods", _write_short_positions)
        ),
        rf"{_ARCHIVE}/(.+)": _swedish(_archive_response),
    }
)


def _archive_bytes(world: World, day: int | None) -> bytes:
    return annual_reports.old_archive(world) if day is None else annual_reports.weekly_archive(world, day)


@lru_cache(maxsize=64)
def _archive_size_and_tag(world: World, day: int | None) -> tuple[int, str]:
    """Size and ETag of an archive, for the listing."""
    body = _archive_bytes(world, day)
    return len(body), hashlib.sha256(body).hexdigest()[:32]


def registry_response(
    world: World, day: int, query: SwedishRequest, outages: ProducerOutages
) -> SandboxResponse | None:
    """The response; None if no Swedish register has such a path."""
    if MARKET not in world.markets:
        return None
    if query.path == _ARCHIVE:
        return _archive_listing(world, day, query)
    if query.path == "/oauth2/token":
        return _token_response(world, day, query)
    if _SEARCH.fullmatch(query.path):
        return SandboxResponse(200, "text/csv", _insider_export(world, day, query.query))
    return _keyed_response(world, day, query, outages)


def _keyed_response(world: World, day: int, query: SwedishRequest, outages: ProducerOutages) -> SandboxResponse | None:
    """The APIs that want a token or a key; None for other paths."""
    call = business_register.PATHS.fullmatch(query.path)
    if call is not None:
        return business_register.respond(world, day, call[1], query.query, query.authorization)
    if query.path.startswith(f"{_API}/"):
        return _api_response(world, day, query, outages)
    return None


def _archive_listing(world: World, day: int, question: SwedishRequest) -> SandboxResponse:
    files = annual_reports.listed_archives(world, day)
    sizes = {listed.key: _archive_size_and_tag(world, listed.day) for listed in files}
    marker = question.query.get("marker") or None
    return SandboxResponse(200, "application/xml", annual_reports.bucket_listing(files, sizes, marker))


def _token_response(world: World, day: int, question: SwedishRequest) -> SandboxResponse:
    """Issues a token for client credentials, as form fields or HTTP Basic; anything else is rejected."""
    form = dict(parse_qsl((question.body or b"").decode("ascii", "replace")))
    basic = base64.b64encode(":".join(CLIENT).encode()).decode()
    given = (form.get("client_id"), form.get("client_secret"))
    if given != CLIENT and question.authorization != f"Basic {basic}":
        return json_response({"error": "invalid_client", "error_description": "Client Authentication failed"}, 401)
    if form.get("grant_type") != "client_credentials":
        return json_response({"error": "unsupported_grant_type"}, 400)
    token = {"access_token": _day_token(world, day), "token_type": "Bearer", "expires_in": 3600}
    return json_response({**token, "scope": form.get("scope", "")})


def _day_token(world: World, day: int) -> str:
    return f"sandbox-{world.date(day)}"


def _problem_response(status: int, title: str, detail: str) -> SandboxResponse:
    return json_response(api_answers.error_body(status, title, detail), status, _ERROR)


def _api_response(world: World, day: int, question: SwedishRequest, outages: ProducerOutages) -> SandboxResponse:
    """Handles an API call; the token of another day is invalid."""
    if question.authorization != f"Bearer {_day_token(world, day)}":
        return _problem_response(401, "Unauthorized", "Anroparen saknar giltiga autentiseringsuppgifter.")
    call = question.path.removeprefix(_API)
    if question.body is None:
        return SandboxResponse(200, "text/plain", b"OK") if call == "/isalive" else _package_response(world, day, call)
    number = _requested_number(question.body)
    has_outage = number is not None and call == _ORGANISATIONS and outages.has_outage(day, number)
    return _number_response(world, day, call, number, has_outage=has_outage)


def _number_response(world: World, day: int, call: str, number: str | None, *, has_outage: bool) -> SandboxResponse:
    """The response for one number."""
    if number is None:
        return _problem_response(400, "Bad Request", "Identitetsbeteckning har ogiltigt format.")
    if len(number) == 10 and numbers.check_digit(number[:9]) != int(number[9]):  # noqa: PLR2004 - digits
        return _problem_response(400, "Bad Request", "Identitetsbeteckning har ogiltig kontrollsiffra.")
    if call == _ORGANISATIONS:
        return json_response({"organisationer": _organisation_records(world, day, number, has_outage=has_outage)})
    if call == "/dokumentlista":
        return json_response(api_answers.document_list(world.find(MARKET, number, day)))
    return _problem_response(404, "Not Found", "Resursen finns inte.")


def _requested_number(body: bytes) -> str | None:
    try:
        asked = json.loads(body)
    except ValueError:
        return None
    number = asked.get("identitetsbeteckning") if isinstance(asked, dict) else None
    return number if isinstance(number, str) and _NUMBER.fullmatch(number) else None


def _organisation_records(world: World, day: int, number: str, *, has_outage: bool) -> list[api_answers.Record]:
    company = world.find(MARKET, number, day)
    if company is not None:
        whole = api_answers.whole_record(company)
        return [api_answers.organisation_record(company, world.date(day)) if has_outage else whole]
    for alone in sole_traders.all_sole_traders(world.count(MARKET, day)):
        if alone.number == number:
            return api_answers.sole_trader_records(alone)
    return [api_answers.unknown_organisation()]


def _package_response(world: World, day: int, call: str) -> SandboxResponse:
    """A package by its id, with or without the file extension used in lists."""
    identity = call.removeprefix("/dokument/").removesuffix("_paket")
    company = world.find(MARKET, annual_reports.number_from_id(identity), day)
    for accounts in company.accounts if company is not None else ():
        if company is not None and annual_reports.document_id(company, accounts) == f"{identity}_paket":
            return SandboxResponse(200, ZIP, annual_reports.report_package(company, accounts))
    return _problem_response(404, "Not Found", "Dokumentet finns inte.")


def _insider_export(world: World, day: int, query: Query) -> bytes:
    """The export of a range of days; unknown parameters are silently ignored."""
    days = [_parse_date(query.get(f"Publiceringsdatum.{end}")) for end in ("From", "To")]
    return finansinspektionen.insider_export(world, day, days[0], days[1])


def _parse_date(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None
