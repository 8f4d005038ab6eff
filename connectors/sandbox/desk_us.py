"""Simulates EDGAR on one day of a world, without HTTP (docs/formats/us.md 1, 3 to 5, 8).

Belongs here: path and query -> status, content type and body; both forms of a missing file (404 and 403, both
XML); the error pages for callers without a contact address or above the rate limit; which responses carry
validators. Does not belong here: sockets (`server`), archives (`routes_us`), or the format of one record
(`papers_us`, `headers_us`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import Any, Final

from connectors.sandbox import facts_us, feeds_us, headers_us, papers_us, writers_us
from connectors.sandbox.filings_us import PREFIX
from connectors.sandbox.holders_us import holder_of
from connectors.sandbox.reply import Reply
from connectors.sandbox.world import FIRST_DAY, World

Query = Mapping[str, str]
JSON: Final = "application/json"
TEXT: Final = "text/plain"
HTML: Final = "text/html"
XML: Final = "application/xml"
ATOM: Final = "application/atom+xml"
PATHS: Final = re.compile(r"/(?:submissions|api/xbrl|Archives/edgar|cgi-bin/browse-edgar|files)(?:/.*)?")
_NIGHT: Final = time(4, tzinfo=UTC)
_SATURDAY: Final = 5


def _store(status: int, code: str) -> Reply:
    body = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>None</Message></Error>'
    )
    return Reply(status, XML, body.encode())


MISSING: Final = _store(404, "NoSuchKey")  # of the APIs
NO_INDEX: Final = _store(403, "AccessDenied")  # of the archives


def _page(title: str, text: str) -> Reply:
    head = f"<!DOCTYPE html>\n<html><head><title>SEC.gov | {title}</title></head>"
    return Reply(403, HTML, f"{head}<body><h1>{title}</h1>{text}</body></html>".encode())


UNDECLARED: Final = _page(
    "Your Request Originates from an Undeclared Automated Tool", "Declare your traffic."
)
TOO_OFTEN: Final = _page("Request Rate Threshold Exceeded", "Wait ten minutes.")
_END: Final = Reply(
    503, HTML, b"<!DOCTYPE html>\n<html><head><title>SEC.gov | File Unavailable</title></head></html>"
)


def refused(path: str, agent: str) -> Reply | None:
    """The error page for a User-Agent without a contact address; None if it has one."""
    return UNDECLARED if PATHS.fullmatch(path) and "@" not in agent else None


def _json(value: Any) -> Reply:
    return Reply(200, JSON, json.dumps(value, separators=(",", ":")).encode())


def filer(world: World, day: int, _query: Query, number: str) -> Reply:
    """Submissions of one filer or holder."""
    party = holder_of(number)
    if party is not None:
        return _json(papers_us.holder(party))
    company = world.find("US", f"{PREFIX}{number}", day)
    return MISSING if company is None else _json(papers_us.submissions(company))


def page(world: World, day: int, _query: Query, number: str) -> Reply:
    """The continuation file of a filer that has one."""
    company = world.find("US", f"{PREFIX}{number}", day)
    found = None if company is None else papers_us.page(company)
    return MISSING if found is None else _json(found)


def facts(world: World, day: int, _query: Query, number: str) -> Reply:
    """The companyfacts of one filer; many have none."""
    company = world.find("US", f"{PREFIX}{number}", day)
    found = None if company is None else facts_us.facts(company)
    return MISSING if found is None else _json(found)


def symbols(world: World, day: int, _query: Query) -> Reply:
    """The list of ticker symbols."""
    return replace(_json(writers_us.symbols(world, day)), fixed=True)


def index(world: World, day: int, _query: Query, stamp: str) -> Reply:
    """The master index of a past day; there is none for weekends and future days."""
    try:
        asked = datetime.strptime(stamp, "%Y%m%d").date()  # noqa: DTZ007 - a day
    except ValueError:
        return NO_INDEX
    last = world.date(day) - papers_us.YESTERDAY
    if asked.weekday() >= _SATURDAY or not FIRST_DAY - writers_us.SHOWN <= asked <= last:
        return NO_INDEX
    found = [pair for pair in writers_us.filed_until(world, day) if pair[1].filed == asked]
    return Reply(200, TEXT, feeds_us.index(found, asked).encode("latin-1"), fixed=True)


def newest(world: World, day: int, query: Query) -> Reply:
    """The Atom feed of newest filings; past its end an HTML page."""
    found = writers_us.newest(world, day)
    start, count = int(query.get("start") or 0), int(query.get("count") or 40)
    if start and start >= len(found):
        return _END
    at = datetime.combine(world.date(day), _NIGHT)
    return Reply(200, ATOM, feeds_us.atom(found[start : start + count], at).encode("latin-1"))


def headers(world: World, day: int, _query: Query, accession: str) -> Reply:
    """The page with the header of a filing."""
    found = writers_us.find(world, day, accession)
    return NO_INDEX if found is None else Reply(200, HTML, headers_us.header_page(*found).encode("latin-1"))


def whole(world: World, day: int, _query: Query, accession: str) -> Reply:
    """A complete submission; for reports only the header is simulated."""
    found = writers_us.find(world, day, accession)
    if found is None or not writers_us.is_whole(found[1]):
        return NO_INDEX
    return Reply(200, TEXT, headers_us.whole(*found).encode("latin-1"))


def nothing(_world: World, _day: int, _query: Query) -> Reply:
    """The error for any other file of the archives."""
    return NO_INDEX


_NUMBER: Final = r"\d{10}-\d{2}-\d{6}"
ROUTES: Final[tuple[tuple[re.Pattern[str], Callable[..., Reply]], ...]] = (
    (re.compile(r"/submissions/CIK(\d{10})\.json"), filer),
    (re.compile(r"/submissions/CIK(\d{10})-submissions-001\.json"), page),
    (re.compile(r"/api/xbrl/companyfacts/CIK(\d{10})\.json"), facts),
    (re.compile(r"/files/company_tickers_exchange\.json"), symbols),
    (re.compile(r"/Archives/edgar/daily-index/\d{4}/QTR\d/master\.(\d{8})\.idx"), index),
    (re.compile(r"/cgi-bin/browse-edgar"), newest),
    (re.compile(rf"/Archives/edgar/data/\d+/\d+/({_NUMBER})-index-headers\.html"), headers),
    (re.compile(rf"/Archives/edgar/data/\d+/(?:\d+/)?({_NUMBER})\.txt"), whole),
    (re.compile(r"/Archives/edgar/(?!daily-index/(?:bulkdata|xbrl)/).*"), nothing),
)
