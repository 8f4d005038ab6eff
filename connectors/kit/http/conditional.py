"""Conditional requests: one file, or several feeds, fetched only if changed since the last run.

Belongs here: addresses to fetched files, the cursor between two runs. Does not belong here: which files there are,
rates and retries (`http.client`), the content of a body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.cursors import from_json_cursor, to_json_cursor
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import FetchError
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


class ConditionalState(msgspec.Struct):
    """Validators of the last answer by address."""

    by_url: dict[str, Validators] = {}


def fetch_changed_feeds(
    by_name: Mapping[str, str], http: HttpClient, cursor: Cursor | None, scope: Scope
) -> Iterator[FetchedFile]:
    """The changed ones of several feeds, as files of their names. HTML with status 200 is a UnexpectedBodyError.

    A failed feed does not stop the others: raises the first FetchError after every feed was requested.
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
        yield answer.to_fetched_file(f"{name}_{answer.server_time:%Y%m%dT%H%M%S}.xml", scope, to_json_cursor(asked))
    if failures:
        raise failures.pop(0)
