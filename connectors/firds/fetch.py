"""Fetches FIRDS files: the newest complete set of full files, changes since the last run.

Belongs here: the lists of ESMA (Solr) and the FCA, sets of parts, checksums (docs/formats/news.md 3.3). A set
with a missing part is not fetched: it would end the listings of that part. Does not belong here: the content
of a file (`parse`).
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.http.response import FetchedResponse, NotModified

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

ESMA_HOST: Final = "registers.esma.europa.eu"
FCA_HOST: Final = "api.data.fca.org.uk"
WHOLE: Final = "FULINS_E"
CHANGES: Final = "DLTINS"
_BACK: Final = {WHOLE: timedelta(days=21), CHANGES: timedelta(days=14)}
_PATIENCE: Final = timedelta(days=7)  # a set of changes has its parts by then: the next full files are out
PAGE_ENTRIES: Final = 1000
_MOST_PAGES: Final = 50
_NAME: Final = re.compile(r"(FULINS_E|DLTINS)_([0-9]{8})_([0-9]{1,3})of([0-9]{1,3})\.zip")
# the only hosts from which files are downloaded, whatever a list contains
_HOSTS: Final = ("esma.europa.eu", "fca.org.uk")
_BLOCK: Final = 1 << 20

FileLister = Callable[["HttpClient", date, date], Iterator["FirdsFile"]]


@dataclass(frozen=True, slots=True)
class FirdsFile:
    """One file of a list. md5: of the zip; the FCA gives none."""

    name: str
    kind: str
    day: date
    part: int
    of: int
    url: str
    md5: str | None


def list_esma_files(http: HttpClient, since: date, until: date) -> Iterator[FirdsFile]:
    """Files that ESMA published in these days. Raises FetchError."""
    span = quote(f"publication_date:[{since}T00:00:00Z TO {until}T23:59:59Z]", safe="")
    base = f"https://{ESMA_HOST}/solr/esma_registers_firds_files/select?q=*&fq={span}&wt=json"

    def page(start: int) -> tuple[list[Any], int]:
        url = f"{base}&start={start}&rows={PAGE_ENTRIES}"
        answer = _response_member(http.json(url), "response", dict, url)
        docs: list[Any] = _response_member(answer, "docs", list, url)
        return docs, _response_member(answer, "numFound", int, url)

    yield from _parse_entries(_paged_entries(base, page))


def list_fca_files(http: HttpClient, since: date, until: date) -> Iterator[FirdsFile]:
    """Files that the FCA published in these days. Raises FetchError."""
    kinds = "((file_type:FULINS) OR (file_type:DLTINS))"
    asked = quote(f"({kinds} AND (publication_date:[{since} TO {until}]))", safe="")

    def page(start: int) -> tuple[list[Any], int]:
        span = f"from={start}&size={PAGE_ENTRIES}&sort=file_name:asc"
        url = f"https://{FCA_HOST}/fca_data_firds_files?q={asked}&{span}"
        answer = _response_member(http.json(url), "hits", dict, url)
        hits: list[Any] = _response_member(answer, "hits", list, url)
        return hits, _total_hits(answer, url)

    url = f"https://{FCA_HOST}/fca_data_firds_files?q={asked}"
    yield from _parse_entries(hit.get("_source") for hit in _paged_entries(url, page) if isinstance(hit, dict))


def _paged_entries(url: str, page: Callable[[int], tuple[list[Any], int]]) -> Iterator[Any]:
    """Entries of all pages. `page`: those from an offset on, and the total number.

    Raises UnexpectedBodyError where the pages end before that: the days of the missing files would be passed over.
    """
    start = 0
    for _ in range(_MOST_PAGES):
        entries, total = page(start)
        yield from entries
        start += len(entries)  # a page may be shorter than requested
        if start >= total:
            return
        if not entries:
            raise UnexpectedBodyError(
                url, HTTPStatus.OK, f"a list of {total} files that ends after {start}: some are missing"
            )
    raise UnexpectedBodyError(url, HTTPStatus.OK, f"a list of more than {_MOST_PAGES} pages: some are missing")


def _total_hits(answer: Any, url: str) -> int:
    """Total number of hits: a number, or an object that contains it, depending on the engine's version."""
    nested = answer.get("total")
    return _response_member(nested if isinstance(nested, dict) else {"value": nested}, "value", int, url)


def _response_member(answer: Any, name: str, kind: type, url: str) -> Any:
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, kind):
        raise UnexpectedBodyError(url, 200, f"a list of files without {name}")
    return found


def _parse_entries(entries: Iterable[Any]) -> Iterator[FirdsFile]:
    """Entries of equities and changes; a list contains other kinds of instruments too."""
    for entry in entries:
        said = {key: _single_value(value) for key, value in entry.items()} if isinstance(entry, dict) else {}
        name, url = str(said.get("file_name")), str(said.get("download_link"))
        found = _NAME.fullmatch(name)
        made = None if found is None else parse_day(found[2])
        if found is None or made is None or not (url.endswith(f"/{name}") and _is_authority_host(url)):
            continue
        md5 = said.get("checksum")
        address = url.replace("http://", "https://", 1)
        yield FirdsFile(
            name, found[1], made, int(found[3]), int(found[4]), address, md5 if isinstance(md5, str) else None
        )


def _single_value(value: Any) -> Any:
    """The value of a field, which Solr may give as a list of one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def parse_day(digits: str) -> date | None:
    """A day as in a file's name; None if there is no such day."""
    try:
        return date.fromisoformat(digits)
    except ValueError:
        return None


def _is_authority_host(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return any(host == known or host.endswith(f".{known}") for known in _HOSTS)


def complete_sets(files: Iterable[FirdsFile], kind: str) -> list[list[FirdsFile]]:
    """Complete sets of one kind, oldest first, parts in order; of a part listed twice the last counts."""
    return [parts for parts in _daily_sets(files, kind) if _is_complete(parts)]


def _daily_sets(files: Iterable[FirdsFile], kind: str) -> list[list[FirdsFile]]:
    """The listed parts of each day, oldest first, parts in order."""
    days: dict[date, dict[int, FirdsFile]] = defaultdict(dict)
    for file in files:
        if file.kind == kind:
            days[file.day][file.part] = file
    return [[parts[part] for part in sorted(parts)] for _, parts in sorted(days.items())]


def _is_complete(parts: list[FirdsFile]) -> bool:
    return [one.part for one in parts] == list(range(1, parts[0].of + 1))


def fetch_snapshot(
    list_files: FileLister, http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]
) -> Iterator[FetchedFile]:
    """The newest complete set of full files; nothing if it was fetched before."""
    found = complete_sets(_recent_files(list_files, http, WHOLE), WHOLE)
    if not found:
        raise UnexpectedBodyError(
            _list_url(list_files), 200, "lists no complete set of files of equities in three weeks"
        )
    newest = found[-1]
    if cursor is None or cursor.value != newest[0].day.isoformat():
        yield from _fetch_set(http, newest, Scope.FULL)


def fetch_changes(
    list_files: FileLister, http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]
) -> Iterator[FetchedFile]:
    """Complete sets of changes since the last run, at most two weeks of them.

    Changes after a day whose set is not complete yet are left to the next run: the cursor would pass that day. A set
    that is not complete after some days is given up; the full files have what it changed.
    """
    last = "" if cursor is None else cursor.value
    patience = http.now().date() - _PATIENCE
    for parts in _daily_sets(_recent_files(list_files, http, CHANGES), CHANGES):
        if parts[0].day.isoformat() <= last:
            continue
        if _is_complete(parts):
            yield from _fetch_set(http, parts, Scope.FEED)
        elif parts[0].day >= patience:
            return


def _recent_files(list_files: FileLister, http: HttpClient, kind: str) -> Iterator[FirdsFile]:
    today = http.now().date()
    return list_files(http, today - _BACK[kind], today)


def _list_url(list_files: FileLister) -> str:
    return f"https://{ESMA_HOST if list_files is list_esma_files else FCA_HOST}/"


def _fetch_set(http: HttpClient, parts: list[FirdsFile], scope: Scope) -> Iterator[FetchedFile]:
    """The parts of one set; its day becomes the cursor with the last part."""
    for file in parts:
        answer = http.download(file.url, expect={BodyFormat.ZIP})
        if isinstance(answer, NotModified):
            raise UnexpectedBodyError(file.url, 304, "status 304 without a conditional request")
        if file.md5 is not None and _md5_hex(answer) != file.md5.lower():
            raise UnexpectedBodyError(file.url, answer.status, f"its checksum is not {file.md5}, which the list gives")
        is_last = file is parts[-1]
        yield answer.to_fetched_file(file.name, scope, Cursor(file.day.isoformat()) if is_last else None)


def _md5_hex(answer: FetchedResponse) -> str:
    digest = hashlib.md5(usedforsecurity=False)  # as given by the list; it only detects truncated files
    answer.body.seek(0)
    while block := answer.body.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()
