"""Fetches the two weekly bulk files with conditional requests, so that unchanged files are not sent again.

Does not belong here: rates, retries and checking bodies (`connectors.kit.http.client`), or the annual reports
(`annual_reports.fetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.response import NotModified, Validators
from connectors.se.register import HOST

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

ORGANISATIONS_URL: Final = f"https://{HOST}/bolagsverket/bolagsverket_bulkfil.zip"
STATISTICS_URL: Final = f"https://{HOST}/scb/scb_bulkfil.zip"


def fetch_organisations(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches all organisations of Bolagsverket; yields nothing if the file is unchanged."""
    return _fetch_bulk(http, ORGANISATIONS_URL, cursor)


def fetch_statistics(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches all legal persons of SCB; yields nothing if the file is unchanged."""
    return _fetch_bulk(http, STATISTICS_URL, cursor)


def _fetch_bulk(http: HttpClient, url: str, cursor: Cursor | None) -> Iterator[FetchedFile]:
    # the landing pages answer robots with HTML and status 200: only a zip is accepted
    answer = http.download(url, expect={BodyFormat.ZIP}, since=Validators.of(cursor))
    if not isinstance(answer, NotModified):
        yield answer.to_fetched_file(url.rpartition("/")[2], Scope.FULL, answer.validators.cursor())
