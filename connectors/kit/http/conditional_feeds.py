"""Polls feeds with conditional requests, each with its own validators.

Belongs here: addresses to arrivals, the cursor between two runs. A failed feed does not stop the others:
its error is raised after all were requested. Does not belong here: which feeds there are, rates and retries
(`http.client`), the content of a body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import FetchError
from connectors.kit.http.response import NotModified, Validators

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient


class ConditionalState(msgspec.Struct):
    """Validators of the last answer by address."""

    by_url: dict[str, Validators] = {}

    @staticmethod
    def of(cursor: Cursor | None) -> ConditionalState:
        """Decodes a cursor; empty if another release wrote it."""
        try:
            return ConditionalState() if cursor is None else msgspec.json.decode(cursor.value, type=ConditionalState)
        except msgspec.MsgspecError:
            return ConditionalState()

    def cursor(self) -> Cursor:
        """The cursor for the next run."""
        return Cursor(msgspec.json.encode(self).decode())


def fetch_changed_feeds(
    by_name: Mapping[str, str], http: HttpClient, cursor: Cursor | None, scope: Scope
) -> Iterator[FetchedFile]:
    """The changed ones of several feeds, as files of their names. HTML with status 200 is a UnexpectedBodyError.

    Raises the first FetchError after every feed was requested.
    """
    asked = ConditionalState.of(cursor)
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
        yield answer.to_fetched_file(f"{name}_{answer.server_time:%Y%m%dT%H%M%S}.xml", scope, asked.cursor())
    if failures:
        raise failures.pop(0)
