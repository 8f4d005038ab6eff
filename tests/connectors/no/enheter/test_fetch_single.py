"""Paging through the feeds and asking about what they name, against a register that answers from a table."""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import pytest

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.formats import Format
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import (
    FetchError,
    RequestRefusedError,
    SourceUnavailableError,
    UnexpectedBodyError,
)
from connectors.kit.http.response import FetchedResponse, Validators
from connectors.no.enheter import single
from connectors.no.oppdateringer import fetch as oppdateringer_fetch
from connectors.no.oppdateringer.pending import BULK, KEPT_IDS, FeedEntry
from connectors.no.roller import dataset as roller_dataset
from tests.tables import check_cases

NOW = datetime(2026, 11, 3, 4, tzinfo=UTC)
Reply = tuple[int, bytes] | FetchError


@dataclass
class Register:
    """Answers by address; what it was asked is remembered."""

    answer: Callable[[str, dict[str, str]], Reply]
    asked: list[str] = field(default_factory=list)

    def get(self, url: str, **_: Any) -> FetchedResponse:
        self.asked.append(url)
        parts = urlsplit(url)
        found = self.answer(parts.path, {name: one[0] for name, one in parse_qs(parts.query).items()})
        if isinstance(found, FetchError):
            raise found
        status, body = found
        return FetchedResponse(
            url, status, {}, io.BytesIO(body), len(body), Format.JSON, NOW, None, Validators()
        )

    def download(self, url: str, **_: Any) -> FetchedResponse:
        return self.get(url)


def http(register: Register) -> HttpClient:
    return cast("HttpClient", register)


def subject(entry_id: int, number: str, hours: int = 500_000, *, removed: bool = False) -> str:
    return str(FeedEntry(str(entry_id), number, hours, removed))


def ask(register: Register, subjects: list[str], cursor: Cursor | None = None) -> list[FetchedFile]:
    return list(single.fetch(http(register), cursor, subjects))


def living(path: str, _: dict[str, str]) -> Reply:
    return 200, json.dumps({"organisasjonsnummer": path.rsplit("/", 1)[-1]}).encode()


def test_each_entity_is_asked_once_whatever_names_it() -> None:
    register = Register(living)
    subjects = [subject(1, "923609016"), subject(2, "984851006"), subject(3, "923609016")]
    first, last = ask(register, subjects)
    assert [first.name, last.name] == [
        "923609016-20261103T040000.json",
        "984851006-20261103T040000.json",
    ]
    assert (first.cursor, first.scope) == (None, Scope.PART)
    assert ask(register, subjects, last.cursor) == []
    assert len(register.asked) == 2
    # an entry that becomes visible behind newer ones is another entry
    assert len(ask(register, [*subjects, subject(0, "923609016")], last.cursor)) == 1


def test_when_a_bulk_has_come_those_named_of_late_are_asked_again() -> None:
    register = Register(living)
    old, new = subject(1, "923609016", 500_000), subject(2, "984851006", 500_100)
    cursor = ask(register, [old, new])[-1].cursor
    again = ask(register, [BULK], cursor)
    assert [arrival.name[:9] for arrival in again] == ["984851006"]
    assert ask(register, [BULK]) == []


def test_410_and_404_of_what_was_removed_are_the_same() -> None:
    gone = {
        "923609016": (410, b'{"status":410,"error":"Gone"}'),
        "984851006": (404, b""),
        "915330193": (404, b""),
    }
    register = Register(lambda path, _: gone[path.rsplit("/", 1)[-1]])
    subjects = [subject(1, "923609016"), subject(2, "984851006", removed=True), subject(3, "915330193")]
    names = [arrival.name for arrival in ask(register, subjects)]
    assert names == ["923609016-20261103T040000-410.json", "984851006-20261103T040000-410.json"]
    for arrival in ask(register, subjects):
        assert single.DATASET.recognise(arrival.name, arrival.body.read()).scope is Scope.PART  # type: ignore[union-attr]


def test_a_page_with_status_200_stays_owed_and_the_next_is_asked() -> None:
    page = UnexpectedBodyError("https://data.brreg.no/x", 200, "html")

    def answer(path: str, query: dict[str, str]) -> Reply:
        return page if path.endswith("923609016") else living(path, query)

    coming = single.fetch(http(Register(answer)), None, [subject(1, "923609016"), subject(2, "984851006")])
    arrival = next(coming)
    with pytest.raises(UnexpectedBodyError):
        next(coming)
    register = Register(living)
    later = ask(register, [subject(1, "923609016"), subject(2, "984851006")], arrival.cursor)
    assert [one.name[:9] for one in later] == ["923609016"]


def test_where_the_register_stops_answering_the_rest_is_owed() -> None:
    down = SourceUnavailableError("https://data.brreg.no/x", 503, "not now")

    def answer(path: str, query: dict[str, str]) -> Reply:
        return living(path, query) if path.endswith("923609016") else down

    register = Register(answer)
    numbers = ["923609016", "984851006", "915330193"]
    coming = single.fetch(http(register), None, [subject(place, one) for place, one in enumerate(numbers)])
    arrival = next(coming)
    with pytest.raises(SourceUnavailableError):
        next(coming)
    assert len(register.asked) == 3, "one more, in case the silence is that number's own"
    later = ask(Register(living), [subject(place, one) for place, one in enumerate(numbers)], arrival.cursor)
    assert [one.name[:9] for one in later] == numbers[1:]


def _night(
    failing: FetchError, subjects: list[str], cursor: Cursor | None
) -> tuple[list[str], Cursor | None]:
    """Who is asked while one number always fails, and the cursor of the end."""
    register = Register(lambda path, query: failing if path.endswith("923609016") else living(path, query))
    found: list[FetchedFile] = []
    with pytest.raises(FetchError):
        found.extend(_noted(single.fetch(http(register), cursor, subjects), found))
    return [url.rsplit("/", 1)[-1] for url in register.asked], found[-1].cursor


@pytest.mark.parametrize(
    "failing",
    [
        RequestRefusedError("https://data.brreg.no/x", 500, "broken"),
        SourceUnavailableError("https://data.brreg.no/x", 504, "too slow"),
        UnexpectedBodyError("https://data.brreg.no/x", 200, "html"),
    ],
)
def test_one_number_that_always_fails_keeps_nobody_from_being_asked(failing: FetchError) -> None:
    subjects = [subject(1, "923609016"), subject(2, "984851006"), subject(3, "915330193")]
    asked, cursor = _night(failing, subjects, None)
    assert asked == ["923609016", "984851006", "915330193"]
    asked, _ = _night(failing, [*subjects, subject(4, "999288774")], cursor)
    assert asked == ["999288774", "923609016"], "what failed comes last"


def test_one_number_that_always_fails_makes_nobody_be_asked_twice() -> None:
    """What is staged since stays owed and is shown again, however far the feed has gone on."""
    failing = RequestRefusedError("https://data.brreg.no/x", 500, "broken")
    subjects, cursor = [subject(1, "923609016")], None
    for night in range(4):
        new = [subject(2 + night * KEPT_IDS + place, f"98485{night}{place:03}") for place in range(3)]
        subjects += new
        asked, cursor = _night(failing, subjects, cursor)
        assert len(asked) == 4, night


def test_a_register_that_refuses_everybody_is_left_alone() -> None:
    register = Register(lambda *_: RequestRefusedError("https://data.brreg.no/x", 406, "another version"))
    with pytest.raises(RequestRefusedError):
        ask(register, [subject(place, f"984851{place:03}") for place in range(50)])
    assert len(register.asked) == 20


def test_roles_come_in_bulk_first_and_once_a_week() -> None:
    register = Register(lambda path, _: (404, b"") if path.endswith("/enheter/1/roller") else (200, b"[]"))
    first = list(roller_dataset.fetch(http(register), None, []))
    assert [arrival.name for arrival in first] == ["roller_alle.json"]
    week = int(NOW.timestamp()) // 3600
    cursor = first[-1].cursor
    (none,) = roller_dataset.fetch(http(register), cursor, [subject(1, "923609016", week + 100)])
    assert none.name == "923609016-20261103T040000.json"
    again = list(roller_dataset.fetch(http(register), none.cursor, [subject(2, "923609016", week + 200)]))
    assert [arrival.name[:9] for arrival in again] == ["roller_al", "923609016"]


def _noted(arrivals: Iterator[FetchedFile], into: list[FetchedFile]) -> Iterator[FetchedFile]:
    """Every arrival into a list, before what raises."""
    for arrival in arrivals:
        into.append(arrival)  # noqa: PERF402 - the list is kept when the iterator raises
    yield from ()


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
    starts = [
        parse_qs(urlsplit(url).query).get("oppdateringsid") for url in register.asked if "/enheter" in url
    ]
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
    again = [
        arrival.name for arrival in pages(register, arrivals[-1].cursor) if arrival.name.startswith("enh")
    ]
    assert again == ["enheter-24999500.json"]
    assert any("oppdateringsid=24999000" in url for url in register.asked)


def test_a_feed_that_fails_keeps_neither_the_others_nor_its_own_pages() -> None:
    sound = feeds(1, 2, 3, largest=2)

    def answer(path: str, query: dict[str, str]) -> Reply:
        broken = path.endswith("/enheter") and query.get("oppdateringsid") == "3"
        return (
            SourceUnavailableError("https://data.brreg.no/x", 503, "not now")
            if broken
            else sound(path, query)
        )

    found: list[FetchedFile] = []
    with pytest.raises(SourceUnavailableError):
        found.extend(_noted(pages(Register(answer)), found))
    assert [arrival.name for arrival in found] == [
        "enheter-1.json",
        "underenheter-tom.json",
        "roller-tom.json",
    ]
    again = [arrival.name for arrival in pages(Register(sound), found[-1].cursor)]
    assert again[:2] == ["enheter-1.json", "enheter-3.json"]


@check_cases("body", [b"[]", b"{}", b'{"_embedded":{"annet":[]}}', b'{"_embedded":null,"page":{}}', b"7"])
def test_an_answer_that_is_no_page_moves_no_cursor(body: bytes) -> None:
    with pytest.raises(UnexpectedBodyError):
        list(pages(Register(lambda *_: (200, body))))
