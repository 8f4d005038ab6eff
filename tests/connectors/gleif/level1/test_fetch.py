"""Requesting LEI records: an answer that lacks some of those it found is none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from connectors.gleif.level1 import dataset as level1
from connectors.kit.http.client import HttpClient, HttpSettings
from connectors.kit.http.errors import UnexpectedBodyError
from tests.answering import Quiet, answering
from tests.connectors.gleif.gleif_bodies import lei

LEIS = [lei(f"A{number}") for number in range(3)]


class Gleif:
    """GLEIF's API: it knows all LEIs, and gives at most so many of them; `bodies`: sent instead."""

    def __init__(self) -> None:
        self.most = 200
        self.body: bytes | None = None

    def answer(self, path: str) -> bytes:
        (asked,) = parse_qs(urlsplit(path).query)["filter[lei]"]
        found = [{"type": "lei-records", "id": one} for one in asked.split(",")]
        pages: dict[str, Any] = {"currentPage": 1, "perPage": self.most, "total": len(found)}
        return self.body or json.dumps({"meta": {"pagination": pages}, "data": found[: self.most]}).encode()


@pytest.fixture
def gleif() -> Gleif:
    return Gleif()


@pytest.fixture
def http(gleif: Gleif, tmp_path: Path) -> Iterator[HttpClient]:
    class Handler(Quiet):
        def do_GET(self) -> None:  # noqa: N802
            self.send_whole(200, gleif.answer(self.path), {"Content-Type": "application/vnd.api+json"})

    with answering(Handler) as base:
        asked = HttpSettings("t (a@example.org)", tmp_path, base_urls={level1.HOST: base}, default_rate=1e6)
        with HttpClient(asked) as client:
            yield client


def test_all_records_of_an_answer_are_taken(http: HttpClient) -> None:
    (arrival,) = level1.fetch(http, None, LEIS)
    assert [one["id"] for one in json.loads(arrival.body.read())["data"]] == LEIS


def test_answer_with_a_shorter_page_than_requested_is_none(gleif: Gleif, http: HttpClient) -> None:
    gleif.most = 2
    with pytest.raises(UnexpectedBodyError, match="2 of 3 records"):
        list(level1.fetch(http, None, LEIS))


@pytest.mark.parametrize("body", [b'{"errors": []}', b'{"data": {}}', b'{"data": ['])
def test_answer_without_a_list_of_records_is_none(body: bytes, gleif: Gleif, http: HttpClient) -> None:
    gleif.body = body
    with pytest.raises(UnexpectedBodyError):
        list(level1.fetch(http, None, LEIS))
