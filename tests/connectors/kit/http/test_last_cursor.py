"""Cursors of the last of several fetched files (`connectors.kit.http.last_cursor`)."""

import io
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.http.errors import FetchError, SourceUnavailableError
from connectors.kit.http.last_cursor import with_last_cursor, with_progress_cursor

NOW = datetime(2026, 11, 27, tzinfo=UTC)


def files(seen: list[str], *, breaks: bool = False) -> Iterator[FetchedFile]:
    for name in ("one", "two"):
        seen.append(name)
        yield FetchedFile(name, io.BytesIO(), Scope.PART, NOW)
    if breaks:
        raise SourceUnavailableError("https://registry.test/", 503, "down")


def test_with_last_cursor_gives_the_last_file_the_state_after_it() -> None:
    seen: list[str] = []
    found = list(with_last_cursor(files(seen), lambda: Cursor("+".join(seen))))
    assert [(file.name, file.cursor) for file in found] == [("one", None), ("two", Cursor("one+two"))]


def test_with_last_cursor_broken_off_keeps_the_last_file_back() -> None:
    found = with_last_cursor(files([], breaks=True), lambda: Cursor("x"))
    assert next(found).name == "one"
    with pytest.raises(FetchError):
        next(found)


def test_with_progress_cursor_broken_off_hands_over_the_last_file_before_the_error() -> None:
    found = with_progress_cursor(files([], breaks=True), lambda: Cursor("x"))
    assert [next(found).cursor, next(found).cursor] == [None, Cursor("x")]
    with pytest.raises(FetchError):
        next(found)
