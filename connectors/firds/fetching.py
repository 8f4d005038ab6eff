"""Fetches FIRDS files: the newest complete set of full files, changes since the last run.

Belongs here: the lists of ESMA (Solr) and the FCA, sets of parts, checksums (docs/formats/news.md 3.3). A set
with a missing part is not fetched: it would end the listings of that part. Does not belong here: the content
of a file (`reading`).
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.bodies import Fetched, NotModified
from connectors.kit.errors import WrongBody
from connectors.kit.formats import Format

if TYPE_CHECKING:
    from connectors.kit.http import Http

ESMA_HOST: Final = "registers.esma.europa.eu"
FCA_HOST: Final = "api.data.fca.org.uk"
WHOLE: Final = "FULINS_E"
CHANGES: Final = "DLTINS"
_BACK: Final = {WHOLE: timedelta(days=21), CHANGES: timedelta(days=14)}
PAGE_ENTRIES: Final = 1000
_MOST_PAGES: Final = 50
_NAME: Final = re.compile(r"(FULINS_E|DLTINS)_([0-9]{8})_([0-9]{1,3})of([0-9]{1,3})\.zip")
# the only hosts from which files are downloaded, whatever a list contains
_HOSTS: Final = ("esma.europa.eu", "fca.org.uk")
_BLOCK: Final = 1 << 20

Listing = Callable[["Http", date, date], Iterator["File"]]


@dataclass(frozen=True, slots=True)
class File:
    """One file of a list. md5: of the zip; the FCA gives none."""

    name: str
    kind: str
    day: date
    part: int
    of: int
    url: str
    md5: str | None


def esma(http: Http, since: date, until: date) -> Iterator[File]:
    """Files that ESMA published in these days. Raises FetchError."""
    span = quote(f"publication_date:[{since}T00:00:00Z TO {until}T23:59:59Z]", safe="")
    base = f"https://{ESMA_HOST}/solr/esma_registers_firds_files/select?q=*&fq={span}&wt=json"
    start, total = 0, 1
    for _ in range(_MOST_PAGES):
        if start >= total:
            return
        url = f"{base}&start={start}&rows={PAGE_ENTRIES}"
        answer = _member(http.json(url), "response", dict, url)
        docs, total = _member(answer, "docs", list, url), _member(answer, "numFound", int, url)
        yield from _files(docs)
        start += len(docs) or total  # a page may be shorter than requested; an empty one is the end


def fca(http: Http, since: date, until: date) -> Iterator[File]:
    """Files that the FCA published in these days. Raises FetchError."""
    kinds = "((file_type:FULINS) OR (file_type:DLTINS))"
    asked = quote(f"({kinds} AND (publication_date:[{since} TO {until}]))", safe="")
    start, total = 0, 1
    for _ in range(_MOST_PAGES):
        if start >= total:
            return
        span = f"from={start}&size={PAGE_ENTRIES}&sort=file_name:asc"
        url = f"https://{FCA_HOST}/fca_data_firds_files?q={asked}&{span}"
        answer = _member(http.json(url), "hits", dict, url)
        hits, total = _member(answer, "hits", list, url), _total(answer, url)
        yield from _files([hit.get("_source") for hit in hits if isinstance(hit, dict)])
        start += len(hits) or total


def _total(answer: Any, url: str) -> int:
    """Total number of hits: a number, or an object that contains it, depending on the engine's version."""
    nested = answer.get("total")
    return _member(nested if isinstance(nested, dict) else {"value": nested}, "value", int, url)


def _member(answer: Any, name: str, kind: type, url: str) -> Any:
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, kind):
        raise WrongBody(url, 200, f"a list of files without {name}")
    return found


def _files(entries: Iterable[Any]) -> Iterator[File]:
    """Entries of equities and changes; a list contains other kinds of instruments too."""
    for entry in entries:
        said = entry if isinstance(entry, dict) else {}
        name, url = str(said.get("file_name")), str(said.get("download_link"))
        found = _NAME.fullmatch(name)
        made = None if found is None else _day(found[2])
        if found is None or made is None or not (url.endswith(f"/{name}") and _is_theirs(url)):
            continue
        md5 = said.get("checksum")
        address = url.replace("http://", "https://", 1)
        yield File(
            name, found[1], made, int(found[3]), int(found[4]), address, md5 if isinstance(md5, str) else None
        )


def _day(digits: str) -> date | None:
    try:
        return date.fromisoformat(digits)
    except ValueError:
        return None


def _is_theirs(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return any(host == known or host.endswith(f".{known}") for known in _HOSTS)


def sets(files: Iterable[File], kind: str) -> list[list[File]]:
    """Complete sets of one kind, oldest first, parts in order; of a part listed twice the last counts."""
    days: dict[date, dict[int, File]] = defaultdict(dict)
    for file in files:
        if file.kind == kind:
            days[file.day][file.part] = file
    whole = [[parts[part] for part in sorted(parts)] for _, parts in sorted(days.items())]
    return [parts for parts in whole if [one.part for one in parts] == list(range(1, parts[0].of + 1))]


def fetch_whole(
    listing: Listing, http: Http, cursor: Cursor | None, _subjects: Iterable[str]
) -> Iterator[Arrival]:
    """The newest complete set of full files; nothing if it was fetched before."""
    found = sets(_listed(listing, http, WHOLE), WHOLE)
    if not found:
        raise WrongBody(_address(listing), 200, "lists no complete set of files of equities in three weeks")
    newest = found[-1]
    if cursor is None or cursor.value != newest[0].day.isoformat():
        yield from _fetched(http, newest, Scope.FULL)


def fetch_changes(
    listing: Listing, http: Http, cursor: Cursor | None, _subjects: Iterable[str]
) -> Iterator[Arrival]:
    """Complete sets of changes since the last run, at most two weeks of them."""
    last = "" if cursor is None else cursor.value
    for parts in sets(_listed(listing, http, CHANGES), CHANGES):
        if parts[0].day.isoformat() > last:
            yield from _fetched(http, parts, Scope.FEED)


def _listed(listing: Listing, http: Http, kind: str) -> Iterator[File]:
    today = http.now().date()
    return listing(http, today - _BACK[kind], today)


def _address(listing: Listing) -> str:
    return f"https://{ESMA_HOST if listing is esma else FCA_HOST}/"


def _fetched(http: Http, parts: list[File], scope: Scope) -> Iterator[Arrival]:
    """The parts of one set; its day becomes the cursor with the last part."""
    for file in parts:
        answer = http.download(file.url, expect={Format.ZIP})
        if isinstance(answer, NotModified):
            raise WrongBody(file.url, 304, "status 304 without a conditional request")
        if file.md5 is not None and _md5(answer) != file.md5.lower():
            raise WrongBody(file.url, answer.status, f"its checksum is not {file.md5}, which the list gives")
        is_last = file is parts[-1]
        yield answer.arrival(file.name, scope, Cursor(file.day.isoformat()) if is_last else None)


def _md5(answer: Fetched) -> str:
    digest = hashlib.md5(usedforsecurity=False)  # as given by the list; it only detects truncated files
    answer.body.seek(0)
    while block := answer.body.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()
