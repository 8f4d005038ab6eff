"""The register's bulk files, BasicCompanyData and PSC: their names, members, and download pages that link them.

File names are read from the pages, never constructed: the number of parts and the publication day change
(docs/formats/uk.md 3, 4). The single complete file is preferred; numbered parts, all of one date, are used only
if it is not linked.

A snapshot is everything of one date. Only a file named as the whole register is FULL; a numbered part is PART: it
cannot prove that the others arrived, and a missing part must not mark its companies as dissolved. Does not belong
here: which products there are (each dataset).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urljoin

from connectors.contract.pieces import ArchiveMember, Cursor, FetchedFile, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat
from connectors.kit.http.client import FetchedResponse, HttpClient, NotModified, Validators
from connectors.kit.http.errors import MissingResourceError, UnexpectedBodyError

_DATE: Final = re.compile(r"(?<!\d)(20\d\d)(?:-(\d\d)(?:-(\d\d))?)?(?!\d)")
_WHOLE: Final = re.compile(
    r"^(?:BasicCompanyDataAsOneFile-\d{4}-\d\d-\d\d|persons-with-significant-control-snapshot-\d{4}-\d\d-\d\d)\.\w+$",
    re.IGNORECASE,
)


def snapshot_date(name: str) -> datetime | None:
    """Start of the date in a file name: `2018-11` is 1 November, `2022` 1 January."""
    found = _DATE.search(basename(name))
    if found is None:
        return None
    year, month, day = (int(part) if part else 1 for part in found.groups())
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None


def basename(name: str) -> str:
    """Last segment of a path or member name."""
    return re.split(r"[/\\!]", name)[-1]


def is_full_register(name: str) -> bool:
    """True if the file name denotes the whole register."""
    return _WHOLE.match(basename(name)) is not None


def recognise_by_name(name: str) -> RecognisedFile:
    """Observation time and scope from the file name."""
    return RecognisedFile(snapshot_date(name), Scope.FULL if is_full_register(name) else Scope.PART)


def split_required_members(piece: ArchiveMember, endings: tuple[str, ...], expected: str) -> Iterator[ArchiveMember]:
    """Yields the members with one of the `endings`; an archive without any is Unreadable, not an empty snapshot."""
    found = False
    for member in staging.split_archive(piece, keep=lambda name: basename(name).lower().endswith(endings)):
        found = True
        yield member
    if not found:
        raise piece.unreadable_error(f"an archive without {expected}")


_HREF: Final = re.compile(r"""href\s*=\s*["']([^"']+\.zip)["']""", re.IGNORECASE)
_PART: Final = re.compile(r"(?<!\d)(\d+)(?:_|of)(\d+)\.zip$", re.IGNORECASE)
_RESTARTS: Final = 3


@dataclass(frozen=True, slots=True)
class BulkProduct:
    """One bulk product: the page that links it, and its file name pattern."""

    page: str
    whole: re.Pattern[str]
    part: re.Pattern[str]


def fetch_bulk(http: HttpClient, product: BulkProduct, after: Cursor | None) -> Iterator[FetchedFile]:
    """Fetches the whole file or all parts of one date; starts again if the date changes between parts."""
    for attempt in range(1, _RESTARTS + 1):
        try:
            fetched = list(_fetch_files(http, product, after))
        except MissingResourceError:
            if attempt == _RESTARTS:
                raise
            continue
        yield from fetched
        return


def latest_links(page: str, pattern: re.Pattern[str]) -> list[str]:
    """Links on a page with a matching file name, of the newest date only, parts in order."""
    found = {basename(href): href for href in _HREF.findall(page) if pattern.fullmatch(basename(href))}
    dates = {name: snapshot_date(name) for name in found}
    newest = max((date for date in dates.values() if date is not None), default=None)
    names = [name for name in found if newest is not None and dates[name] == newest]
    return [found[name] for name in sorted(names, key=_part_number)]


def _newest_links(page: str, product: BulkProduct) -> list[str]:
    """URL of the whole file, or of the parts if they have a later date."""
    whole, parts = latest_links(page, product.whole)[:1], latest_links(page, product.part)
    dates = [snapshot_date(href) for href in (*whole, *parts[:1])]
    return parts if whole and parts and max(filter(None, dates)) != dates[0] else whole or parts


def _part_number(name: str) -> int:
    found = _PART.search(name)
    return int(found.group(1)) if found else 0


def _fetch_files(http: HttpClient, product: BulkProduct, after: Cursor | None) -> Iterator[FetchedFile]:
    """Requests the last file first: if it is unchanged, so are the other parts."""
    page = http.get(product.page, expect={BodyFormat.HTML}).read().decode("utf-8", "replace")
    urls = [urljoin(product.page, href) for href in _newest_links(page, product)]
    _check_complete(product, urls)
    *first, last = urls
    newest = http.download(last, expect={BodyFormat.ZIP}, since=_validators_for(after, last))
    if isinstance(newest, NotModified):
        return
    for url in first:
        fetched = http.download(url, expect={BodyFormat.ZIP})
        if not isinstance(fetched, NotModified):
            yield _snapshot_file(fetched, url, None)
    held = newest.validators.cursor()
    yield _snapshot_file(newest, last, Cursor(f"{basename(last)}\n{held.value if held else ''}"))


def _check_complete(product: BulkProduct, urls: list[str]) -> None:
    """Rejects a page that links no file, or not all parts."""
    if not urls:
        raise UnexpectedBodyError(product.page, 200, "links no file of the product")
    numbered = [_PART.search(url) for url in urls]
    if numbered[0] is not None:
        due = numbered[0].group(2).lstrip("0")
        linked = [found.group(1).lstrip("0") for found in numbered if found]
        if due != str(len(linked)) or linked != [str(part) for part in range(1, len(linked) + 1)]:
            raise UnexpectedBodyError(product.page, 200, f"links {len(urls)} of {due[:9]} parts of one date")


def _validators_for(after: Cursor | None, url: str) -> Validators | None:
    """Validators of exactly this file from the cursor (name of the last file, then its validators)."""
    name, _, rest = after.value.partition("\n") if after else ("", "", "")
    return Validators.of(Cursor(rest)) if name == basename(url) else None


def _snapshot_file(fetched: FetchedResponse, url: str, cursor: Cursor | None) -> FetchedFile:
    edition = recognise_by_name(url)
    arrival = fetched.to_fetched_file(basename(url), edition.scope)
    return replace(arrival, observed_at=edition.observed_at or arrival.observed_at, cursor=cursor)
