"""Conditional requests: one file, or several feeds, fetched only if changed since the last run.

Belongs here: addresses to fetched files, the cursor between two runs. Does not belong here: which files there are,
rates and retries (`http.client`), the content of a body.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.cursors import from_json_cursor, to_json_cursor
from connectors.kit.feeds import LARGEST
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import FetchError, UnexpectedBodyError
from connectors.kit.http.response import FetchedResponse, NotModified, Validators

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient


@dataclass(frozen=True, slots=True)
class ConditionalFile:
    """One file at one address. Its `fetch` is that of a dataset: `ConditionalFile(URL, …, Scope.FULL).fetch`.

    name: of the fetched file. expect: the formats that its body may have. headers: further ones of the request.
    """

    url: str
    name: str
    expect: Collection[BodyFormat]
    scope: Scope
    headers: Mapping[str, str] | None = None

    def download(self, http: HttpClient, cursor: Cursor | None) -> FetchedResponse | None:
        """The response; None if the file is unchanged since the run that left the cursor."""
        answer = http.download(self.url, expect=self.expect, since=Validators.of(cursor), headers=self.headers)
        return None if isinstance(answer, NotModified) else answer

    def fetch(self, http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
        """The file; nothing if it is unchanged since the last run."""
        answer = self.download(http, cursor)
        if answer is not None:
            yield answer.to_fetched_file(self.name, self.scope, answer.validators.cursor())


ItemIds = Callable[[bytes], Collection[str]]  # the ids of a body's items; none of a body that is no feed


class ConditionalState(msgspec.Struct):
    """Validators of the last answer by address, and digests of the ids of its items, which may name persons."""

    by_url: dict[str, Validators] = {}
    items: dict[str, list[str]] = {}

    def record_items(self, answer: FetchedResponse, url: str, ids: Collection[str]) -> FetchError | None:
        """Records the items of a feed; an error if none of them was in it before: some between left it unread."""
        found = sorted({blake2b(one.encode(), digest_size=8).hexdigest() for one in ids})
        before = self.items.get(url, found)
        self.items[url] = found or before
        if not found or not before or not set(found).isdisjoint(before):
            return None
        reason = "none of its items was in it at the run before: some between these and those are missing"
        return UnexpectedBodyError(url, answer.status, reason)


def fetch_changed_feeds(
    by_name: Mapping[str, str], http: HttpClient, cursor: Cursor | None, scope: Scope, item_ids: ItemIds | None = None
) -> Iterator[FetchedFile]:
    """The changed ones of several feeds, as files of their names. HTML with status 200 is a UnexpectedBodyError.

    A failed feed does not stop the others: raises the first FetchError after every feed was requested. With `item_ids`,
    a feed that has none of the items that it had at the run before is fetched, and is such an error too.
    """
    asked = from_json_cursor(cursor, ConditionalState) or ConditionalState()
    failures: list[FetchError] = []
    for name, url in by_name.items():
        try:
            answer = http.download(url, expect={BodyFormat.XML}, since=asked.by_url.get(url))
        except FetchError as error:
            failures.append(error.with_traceback(None))  # it would keep the partly written file open
            continue
        if isinstance(answer, NotModified):
            continue
        asked.by_url[url] = answer.validators
        if item_ids is not None:
            answer.body.seek(0)
            gap = asked.record_items(answer, url, item_ids(answer.body.read(LARGEST + 1)))
            failures += [] if gap is None else [gap]
        yield answer.to_fetched_file(f"{name}_{answer.server_time:%Y%m%dT%H%M%S}.xml", scope, to_json_cursor(asked))
    if failures:
        raise failures.pop(0)
