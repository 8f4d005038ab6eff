"""Fetching of the index: what one run leaves to the next, and what no run may leave out."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.esef import fetch as esef_fetch

AT = datetime(2026, 11, 3, tzinfo=UTC)


@dataclass
class Site:
    """Plays the site: its pages, each a list of (id, processing time)."""

    pages: list[list[tuple[str, str]]]

    def get(self, url: str, **_: Any) -> Page:
        number = int(url.rpartition("=")[2]) if "next" in url else 0
        return Page(
            self.pages[number], f"{esef_fetch.SITE}/next={number + 1}" if number + 1 < len(self.pages) else None
        )


@dataclass
class Page:
    entries: list[tuple[str, str]]
    following: str | None
    status: int = 200

    def read(self) -> bytes:
        data = [{"attributes": {"fxo_id": name, "processed": at, "json_url": None}} for name, at in self.entries]
        return json.dumps({"data": data, "links": {"next": self.following}}).encode()

    def to_fetched_file(self, name: str, scope: Scope) -> FetchedFile:
        return FetchedFile(name, io.BytesIO(self.read()), scope, AT)


def fetched(site: Site, cursor: Cursor | None = None) -> list[FetchedFile]:
    return list(esef_fetch.fetch("NO", site, cursor, ()))  # type: ignore[arg-type]  # plays the client


def test_fetch_tells_that_it_leaves_pages_to_the_next_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(esef_fetch, "PAGES", 2)
    site = Site([[("a", "2026-01-01 00:00:00")], [("b", "2026-01-02 00:00:00")], [("c", "2026-01-03 00:00:00")]])
    first = fetched(site)
    assert [(file.name, file.has_more) for file in first] == [("index-a.json", False), ("index-b.json", True)]
    assert [(file.name, file.has_more) for file in fetched(site, first[-1].cursor)] == [("index-c.json", False)]


def test_fetch_entries_of_one_time_on_two_pages_are_all_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(esef_fetch, "PAGES", 1)
    same = "2026-01-01 00:00:00.500000"
    site = Site([[("a", "2026-01-01 00:00:00"), ("b", same)], [("c", same)], [("d", same)]])
    cursor: Cursor | None = None
    names: list[str] = []
    for _ in range(4):
        files = fetched(site, cursor)
        names += [file.name for file in files]
        cursor = files[-1].cursor if files else cursor
    assert names == ["index-a.json", "index-c.json", "index-d.json"]
    former = Cursor(json.dumps({"since": same}))  # of an earlier version: what it had read of that time is unknown
    assert fetched(site, former) == []
