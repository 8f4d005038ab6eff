"""Attaches a cursor to the last of several fetched files, so that it never covers more than was handed over.

Does not belong here: what a cursor remembers (its dataset), or requests (`client`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from connectors.contract.pieces import Cursor, FetchedFile
from connectors.kit.http.errors import FetchError


def with_last_cursor(files: Iterator[FetchedFile], cursor: Callable[[], Cursor]) -> Iterator[FetchedFile]:
    """The files, the last with a cursor; if the fetch breaks off, the last one is not handed over."""
    held: FetchedFile | None = None
    for file in files:
        if held is not None:
            yield held
        held = file
    if held is not None:
        yield replace(held, cursor=cursor())


def with_progress_cursor(files: Iterator[FetchedFile], cursor: Callable[[], Cursor]) -> Iterator[FetchedFile]:
    """The files, the last with a cursor; a FetchError is raised after what arrived before it, with its cursor."""
    broken: list[FetchError] = []
    yield from with_last_cursor(_until_error(files, broken), cursor)
    if broken:
        raise broken[0]


def _until_error(files: Iterator[FetchedFile], broken: list[FetchError]) -> Iterator[FetchedFile]:
    try:
        yield from files
    except FetchError as error:
        broken.append(error)
