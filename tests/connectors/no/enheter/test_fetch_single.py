"""Asking about what the feeds name, against a register that answers from a table."""

import json
from datetime import timedelta

import pytest

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.http.errors import FetchError, RequestRejectedError, SourceUnavailableError, UnexpectedBodyError
from connectors.no.enheter.dataset import SINGLE
from connectors.no.oppdateringer.pending import BULK, KEPT_IDS, FeedEntry
from connectors.no.roller import dataset as roller_dataset
from tests.connectors.no.answering_register import NOW, Register, Reply, http, noted

assert SINGLE.fetch is not None
fetch_single = SINGLE.fetch


def subject(entry_id: int, number: str, hours: int = 500_000, *, removed: bool = False) -> str:
    return str(FeedEntry(str(entry_id), number, hours, removed))


def ask(register: Register, subjects: list[str], cursor: Cursor | None = None) -> list[FetchedFile]:
    return list(fetch_single(http(register), cursor, subjects))


def living(path: str, _: dict[str, str]) -> Reply:
    return 200, json.dumps({"organisasjonsnummer": path.rsplit("/", 1)[-1]}).encode()


def test_each_entity_is_asked_once_whatever_names_it() -> None:
    register = Register(living)
    subjects = [subject(1, "923609016"), subject(2, "984851006"), subject(3, "923609016")]
    first, last = ask(register, subjects)
    assert [first.name, last.name] == ["923609016-20261103T040000.json", "984851006-20261103T040000.json"]
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
    gone = {"923609016": (410, b'{"status":410,"error":"Gone"}'), "984851006": (404, b""), "915330193": (404, b"")}
    register = Register(lambda path, _: gone[path.rsplit("/", 1)[-1]])
    subjects = [subject(1, "923609016"), subject(2, "984851006", removed=True), subject(3, "915330193")]
    names = [arrival.name for arrival in ask(register, subjects)]
    assert names == ["923609016-20261103T040000-410.json", "984851006-20261103T040000-410.json"]
    for arrival in ask(register, subjects):
        assert SINGLE.recognise_file(arrival.name, arrival.body.read()).scope is Scope.PART  # type: ignore[union-attr]


def test_fetch_unconfirmed_410_is_requested_in_every_run_until_two_days_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    register = Register(lambda *_: (410, b'{"status":410,"error":"Gone"}'))
    cursor = ask(register, [subject(1, "923609016")])[-1].cursor
    names = []
    for day in (1, 2, 3, 4):
        monkeypatch.setattr("tests.connectors.no.answering_register.NOW", NOW + timedelta(days=day, minutes=day))
        arrivals = ask(register, [], cursor)
        names += [arrival.name for arrival in arrivals]
        cursor = arrivals[-1].cursor if arrivals else cursor
    assert names == [f"923609016-2026110{3 + day}T040{day}00-410.json" for day in (1, 2, 3)]


def test_fetch_410_that_the_feed_confirms_or_that_is_over_is_not_requested_again() -> None:
    gone = Register(lambda *_: (410, b'{"status":410,"error":"Gone"}'))
    assert ask(gone, [], ask(gone, [subject(1, "923609016", removed=True)])[-1].cursor) == []
    unconfirmed = ask(gone, [subject(1, "923609016")])[-1].cursor
    confirmed = ask(gone, [subject(2, "923609016", removed=True)], unconfirmed)[-1].cursor
    assert ask(gone, [], confirmed) == []
    there_again = ask(Register(living), [], unconfirmed)[-1].cursor
    assert ask(Register(living), [], there_again) == []


def test_a_page_with_status_200_stays_owed_and_the_next_is_asked() -> None:
    page = UnexpectedBodyError("https://data.brreg.no/x", 200, "html")

    def answer(path: str, query: dict[str, str]) -> Reply:
        return page if path.endswith("923609016") else living(path, query)

    coming = fetch_single(http(Register(answer)), None, [subject(1, "923609016"), subject(2, "984851006")])
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
    coming = fetch_single(http(register), None, [subject(place, one) for place, one in enumerate(numbers)])
    arrival = next(coming)
    with pytest.raises(SourceUnavailableError):
        next(coming)
    assert len(register.asked) == 3
    later = ask(Register(living), [subject(place, one) for place, one in enumerate(numbers)], arrival.cursor)
    assert [one.name[:9] for one in later] == numbers[1:]


def test_fetch_burst_of_outages_pauses_the_requests_and_ends_no_run() -> None:
    down = SourceUnavailableError("https://data.brreg.no/x", 503, "not now")
    register = Register(lambda path, query: down if 3 < len(register.asked) <= 8 else living(path, query))
    subjects = [subject(place, f"984851{place:03}") for place in range(20)]
    found: list[FetchedFile] = []
    with pytest.raises(SourceUnavailableError):
        found.extend(noted(fetch_single(http(register), None, subjects), found))
    assert len(found) == 15
    assert register.pauses == [0, 15, 30, 60, 120]
    assert len(ask(Register(living), subjects, found[-1].cursor)) == 5


def test_fetch_register_that_answers_nobody_for_half_an_hour_ends_the_run() -> None:
    register = Register(lambda *_: SourceUnavailableError("https://data.brreg.no/x", 503, "not now"))
    with pytest.raises(SourceUnavailableError):
        ask(register, [subject(place, f"984851{place:03}") for place in range(50)])
    assert len(register.asked) == 12
    assert sum(register.pauses) >= 1_800


def _night(failing: FetchError, subjects: list[str], cursor: Cursor | None) -> tuple[list[str], Cursor | None]:
    """Who is asked while one number always fails, and the cursor of the end."""
    register = Register(lambda path, query: failing if path.endswith("923609016") else living(path, query))
    found: list[FetchedFile] = []
    with pytest.raises(FetchError):
        found.extend(noted(fetch_single(http(register), cursor, subjects), found))
    return [url.rsplit("/", 1)[-1] for url in register.asked], found[-1].cursor


@pytest.mark.parametrize(
    "failing",
    [
        RequestRejectedError("https://data.brreg.no/x", 500, "broken"),
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
    failing = RequestRejectedError("https://data.brreg.no/x", 500, "broken")
    subjects, cursor = [subject(1, "923609016")], None
    for night in range(4):
        new = [subject(2 + night * KEPT_IDS + place, f"98485{night}{place:03}") for place in range(3)]
        subjects += new
        asked, cursor = _night(failing, subjects, cursor)
        assert len(asked) == 4, night


def test_a_register_that_refuses_everybody_is_left_alone() -> None:
    register = Register(lambda *_: RequestRejectedError("https://data.brreg.no/x", 406, "another version"))
    with pytest.raises(RequestRejectedError):
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
