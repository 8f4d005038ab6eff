"""Asking for feeds that are looked at again and again: by their validators, each for itself.

Belongs here: addresses to arrivals, what is remembered between two runs. A feed that fails holds up none of the
others: its failure is told when all were asked. Does not belong here: which feeds there are, rates and retries
(`http`), what a body says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.bodies import NotModified, Validators
from connectors.kit.errors import FetchError
from connectors.kit.formats import Format

if TYPE_CHECKING:
    from connectors.kit.http import Http


class Asked(msgspec.Struct):
    """By address what the server gave to compare the next answer with."""

    by_url: dict[str, Validators] = {}

    @staticmethod
    def of(cursor: Cursor | None) -> Asked:
        """What a cursor remembers; nothing of one that another release wrote."""
        try:
            return Asked() if cursor is None else msgspec.json.decode(cursor.value, type=Asked)
        except msgspec.MsgspecError:
            return Asked()

    def cursor(self) -> Cursor:
        """What the next run is to remember."""
        return Cursor(msgspec.json.encode(self).decode())


def feeds(by_name: Mapping[str, str], http: Http, cursor: Cursor | None, scope: Scope) -> Iterator[Arrival]:
    """Those of several feeds that changed, as files of their names. HTML with status 200 is a WrongBody.

    Raises the first FetchError once every feed was asked.
    """
    asked = Asked.of(cursor)
    failures: list[FetchError] = []
    for name, url in by_name.items():
        try:
            answer = http.download(url, expect={Format.XML}, since=asked.by_url.get(url))
        except FetchError as error:
            failures.append(error.with_traceback(None))  # which would hold on to what was being written
            continue
        if isinstance(answer, NotModified):
            continue
        asked.by_url[url] = answer.validators
        yield answer.arrival(f"{name}_{answer.server_time:%Y%m%dT%H%M%S}.xml", scope, asked.cursor())
    if failures:
        raise failures.pop(0)
