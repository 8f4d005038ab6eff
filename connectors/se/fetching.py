"""Fetches the two weekly bulk files with conditional requests, so that unchanged files are not sent again.

Does not belong here: rates, retries and checking bodies (`connectors.kit.http`), or the annual reports
(`arsredovisning_fetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.bodies import NotModified, Validators
from connectors.kit.formats import Format
from connectors.se.register import HOST

if TYPE_CHECKING:
    from connectors.kit.http import Http

ORGANISATIONS_URL: Final = f"https://{HOST}/bolagsverket/bolagsverket_bulkfil.zip"
STATISTICS_URL: Final = f"https://{HOST}/scb/scb_bulkfil.zip"


def organisations(http: Http, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches all organisations of Bolagsverket; yields nothing if the file is unchanged."""
    return _bulk(http, ORGANISATIONS_URL, cursor)


def statistics(http: Http, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches all legal persons of SCB; yields nothing if the file is unchanged."""
    return _bulk(http, STATISTICS_URL, cursor)


def _bulk(http: Http, url: str, cursor: Cursor | None) -> Iterator[Arrival]:
    # the landing pages answer robots with HTML and status 200: only a zip is accepted
    answer = http.download(url, expect={Format.ZIP}, since=Validators.of(cursor))
    if not isinstance(answer, NotModified):
        yield answer.arrival(url.rpartition("/")[2], Scope.FULL, answer.validators.cursor())
