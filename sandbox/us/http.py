"""Simulates EDGAR on one day of a world, without HTTP (docs/formats/us.md 1, 3 to 5, 8).

Belongs here: path and query -> status, content type and body; both forms of a missing file (404 and 403, both
XML); the error pages for callers without a contact address or above the rate limit; which responses carry
validators. Does not belong here: sockets (`http.server`), archives (`files`), or the format of one record
(`submissions`, `headers`).
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import Any, Final

from sandbox.companies.us.filings import PREFIX
from sandbox.companies.us.holders import holder_by_cik
from sandbox.shared.response import HTML, JSON, Query, SandboxResponse, compile_routes
from sandbox.us import companyfacts, feeds, files, submissions
from sandbox.us import headers as us_headers
from sandbox.world import FIRST_DAY, World

TEXT: Final = "text/plain"
XML: Final = "application/xml"
ATOM: Final = "application/atom+xml"
PATHS: Final = re.compile(r"/(?:submissions|api/xbrl|Archives/edgar|cgi-bin/browse-edgar|files)(?:/.*)?")
_NIGHT: Final = time(4, tzinfo=UTC)
_SATURDAY: Final = 5


def _store_error(status: int, code: str) -> SandboxResponse:
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>None</Message></Error>'
    return SandboxResponse(status, XML, body.encode())


MISSING: Final = _store_error(404, "NoSuchKey")  # of the APIs
NO_INDEX: Final = _store_error(403, "AccessDenied")  # of the archives


def _error_page(title: str, text: str) -> SandboxResponse:
    head = f"<!DOCTYPE html>\n<html><head><title>SEC.gov | {title}</title></head>"
    return SandboxResponse(403, HTML, f"{head}<body><h1>{title}</h1>{text}</body></html>".encode())


UNDECLARED: Final = _error_page("Your Request Originates from an Undeclared Automated Tool", "Declare your traffic.")
TOO_OFTEN: Final = _error_page("Request Rate Threshold Exceeded", "Wait ten minutes.")
_END: Final = SandboxResponse(
    503, HTML, b"<!DOCTYPE html>\n<html><head><title>SEC.gov | File Unavailable</title></head></html>"
)


def undeclared_agent_response(path: str, agent: str) -> SandboxResponse | None:
    """The error page for a User-Agent without a contact address; None if it has one."""
    return UNDECLARED if PATHS.fullmatch(path) and "@" not in agent else None


def _json_response(value: Any) -> SandboxResponse:
    return SandboxResponse(200, JSON, json.dumps(value, separators=(",", ":")).encode())


def filer_submissions(world: World, day: int, _query: Query, number: str) -> SandboxResponse:
    """Submissions of one filer or holder."""
    party = holder_by_cik(number)
    if party is not None:
        return _json_response(submissions.holder_record(party))
    company = world.find("US", f"{PREFIX}{number}", day)
    return MISSING if company is None else _json_response(submissions.submissions_record(company))


def continuation_page(world: World, day: int, _query: Query, number: str) -> SandboxResponse:
    """The continuation file of a filer that has one."""
    company = world.find("US", f"{PREFIX}{number}", day)
    found = None if company is None else submissions.continuation_page(company)
    return MISSING if found is None else _json_response(found)


def filer_facts(world: World, day: int, _query: Query, number: str) -> SandboxResponse:
    """The companyfacts of one filer; many have none."""
    company = world.find("US", f"{PREFIX}{number}", day)
    found = None if company is None else companyfacts.companyfacts_record(company)
    return MISSING if found is None else _json_response(found)


def symbol_list(world: World, day: int, _query: Query) -> SandboxResponse:
    """The list of ticker symbols."""
    return replace(_json_response(files.symbol_list(world, day)), is_cacheable=True)


def day_index(world: World, day: int, _query: Query, day_text: str) -> SandboxResponse:
    """The master index of a past day; there is none for weekends and future days."""
    try:
        asked = datetime.strptime(day_text, "%Y%m%d").date()  # noqa: DTZ007 - a day
    except ValueError:
        return NO_INDEX
    last = world.date(day) - submissions.YESTERDAY
    if asked.weekday() >= _SATURDAY or not FIRST_DAY - files.SHOWN <= asked <= last:
        return NO_INDEX
    found = [pair for pair in files.filings_until(world, day) if pair[1].filed == asked]
    return SandboxResponse(200, TEXT, feeds.master_index(found, asked).encode("latin-1"), is_cacheable=True)


def newest_filings(world: World, day: int, query: Query) -> SandboxResponse:
    """The Atom feed of newest filings; past its end an HTML page."""
    found = files.party_entries(files.filings_until(world, day))
    start, count = int(query.get("start") or 0), int(query.get("count") or 40)
    if start and start >= len(found):
        return _END
    at = datetime.combine(world.date(day), _NIGHT)
    return SandboxResponse(200, ATOM, feeds.atom_feed(found[start : start + count], at).encode("latin-1"))


def filing_headers(world: World, day: int, _query: Query, accession: str) -> SandboxResponse:
    """The page with the header of a filing."""
    found = files.find_filing(world, day, accession)
    return NO_INDEX if found is None else SandboxResponse(200, HTML, us_headers.header_page(*found).encode("latin-1"))


def complete_submission(world: World, day: int, _query: Query, accession: str) -> SandboxResponse:
    """A complete submission; for reports only the header is simulated."""
    found = files.find_filing(world, day, accession)
    if found is None or not files.has_documents(found[1]):
        return NO_INDEX
    return SandboxResponse(200, TEXT, us_headers.complete_submission(*found).encode("latin-1"))


def missing_archive_file(_world: World, _day: int, _query: Query) -> SandboxResponse:
    """The error for any other file of the archives."""
    return NO_INDEX


_NUMBER: Final = r"\d{10}-\d{2}-\d{6}"
ROUTES: Final = compile_routes(
    {
        r"/submissions/CIK(\d{10})\.json": filer_submissions,
        r"/submissions/CIK(\d{10})-submissions-001\.json": continuation_page,
        r"/api/xbrl/companyfacts/CIK(\d{10})\.json": filer_facts,
        r"/files/company_tickers_exchange\.json": symbol_list,
        r"/Archives/edgar/daily-index/\d{4}/QTR\d/master\.(\d{8})\.idx": day_index,
        r"/cgi-bin/browse-edgar": newest_filings,
        rf"/Archives/edgar/data/\d+/\d+/({_NUMBER})-index-headers\.html": filing_headers,
        rf"/Archives/edgar/data/\d+/(?:\d+/)?({_NUMBER})\.txt": complete_submission,
        r"/Archives/edgar/(?!daily-index/(?:bulkdata|xbrl)/).*": missing_archive_file,
    }
)
