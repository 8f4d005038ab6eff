"""Paging through the feeds, against a register that answers from a table."""

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.kit.http.errors import SourceUnavailableError, UnexpectedBodyError
from connectors.no.oppdateringer import fetch as oppdateringer_fetch
from tests.connectors.no.answering_register import Register, Reply, http, noted
from tests.tables import check_cases


def feeds(*ids: int, largest: int = 10_000) -> Callable[[str, dict[str, str]], Reply]:
    """A feed of entities with these ids; the others are empty."""

    def answer(path: str, query: dict[str, str]) -> Reply:
        if path.endswith("/roller"):
            return 200, b"[]"
        entries = [
            {"oppdateringsid": one, "organisasjonsnummer": "923609016"}
            for one in ids
            if one >= int(query.get("oppdateringsid", "1"))
        ][:largest]
        page: dict[str, Any] = {"page": {"totalElements": len(entries)}}
        if entries and path.endswith("/enheter"):
            page["_embedded"] = {"oppdaterteEnheter": entries}
        return 200, json.dumps(page).encode()

    return answer


def pages(register: Register, cursor: Cursor | None = None) -> Iterator[FetchedFile]:
    return oppdateringer_fetch.fetch(http(register), cursor, ())


def test_pitfall_10_the_cursor_is_inclusive_and_ids_have_gaps() -> None:
    register = Register(feeds(5_000, 5_007, 5_100, largest=2))
    found = [arrival for arrival in pages(register) if arrival.name.startswith("enheter")]
    assert [arrival.name for arrival in found] == ["enheter-5000.json", "enheter-5100.json"]
    starts = [parse_qs(urlsplit(url).query).get("oppdateringsid") for url in register.asked if "/enheter" in url]
    assert starts == [None, None, ["5008"], ["5101"]]
    assert all("sort=id%2C" in url and "page=" not in url for url in register.asked if "/enheter" in url)


def test_a_first_fetch_begins_two_days_back_and_never_at_the_first_id() -> None:
    register = Register(feeds())
    arrivals = list(pages(register))
    assert {arrival.name for arrival in arrivals} == {
        f"{one}-tom.json" for one in ("enheter", "underenheter", "roller")
    }
    assert any("dato=2026-11-01T04%3A00%3A00.000Z" in url for url in register.asked)
    assert any("afterTime=2026-11-01T04%3A00%3A00.000Z" in url for url in register.asked)
    later = Register(feeds())
    list(pages(later, arrivals[-1].cursor))
    assert any("dato=2026-11-01T04%3A00%3A00.000Z" in url for url in later.asked), "nothing was seen since"


def test_a_fetch_goes_back_over_ids_that_may_have_become_visible() -> None:
    arrivals = list(pages(Register(feeds(25_000_000))))
    register = Register(feeds(24_999_500, 25_000_000, 25_000_001))
    again = [arrival.name for arrival in pages(register, arrivals[-1].cursor) if arrival.name.startswith("enh")]
    assert again == ["enheter-24999500.json"]
    assert any("oppdateringsid=24999000" in url for url in register.asked)


def test_a_feed_that_fails_keeps_neither_the_others_nor_its_own_pages() -> None:
    sound = feeds(1, 2, 3, largest=2)

    def answer(path: str, query: dict[str, str]) -> Reply:
        broken = path.endswith("/enheter") and query.get("oppdateringsid") == "3"
        return SourceUnavailableError("https://data.brreg.no/x", 503, "not now") if broken else sound(path, query)

    found: list[FetchedFile] = []
    with pytest.raises(SourceUnavailableError):
        found.extend(noted(pages(Register(answer)), found))
    assert [arrival.name for arrival in found] == ["enheter-1.json", "underenheter-tom.json", "roller-tom.json"]
    again = [arrival.name for arrival in pages(Register(sound), found[-1].cursor)]
    assert again[:2] == ["enheter-1.json", "enheter-3.json"]


@check_cases("body", [b"[]", b"{}", b'{"_embedded":{"annet":[]}}', b'{"_embedded":null,"page":{}}', b"7"])
def test_an_answer_that_is_no_page_moves_no_cursor(body: bytes) -> None:
    with pytest.raises(UnexpectedBodyError):
        list(pages(Register(lambda *_: (200, body))))
