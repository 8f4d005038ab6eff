"""The Python client against a running service: what it gives is what the API says, in both kinds."""

from __future__ import annotations

import asyncio
import itertools
import json
from pathlib import Path
from typing import Any

import firmdata
import httpx
import pytest
from firmdata.calls import query
from firmdata.retries import RetryPolicy, retry_after

from tests.sdk.conftest import Live
from tests.sdk.played import DONE, first_awaited, played
from tests.tables import check_cases

COMPANY = "firm:SE:5599999991"


def served(live: Live, path: str) -> Any:
    return httpx.get(live.url + path, headers=live.service.headers).json()


def test_a_company_has_what_the_api_says(live: Live) -> None:
    with live.client() as client:
        company = client.companies.get(COMPANY, include=["detail", "address"])
        assert json.loads(company.model_dump_json(by_alias=True, exclude_unset=True)) == served(
            live, f"/api/v1/companies/{COMPANY}?include=detail,address"
        )
        assert client.companies.get("5599999991").id == COMPANY


@pytest.mark.parametrize("name", ["financials", "ownership", "filings", "events"])
def test_lists_of_a_company_are_read_to_their_end(live: Live, name: str) -> None:
    with live.client() as client:
        pages = getattr(client.companies, name)(COMPANY, limit=1)
        rows = [json.loads(row.model_dump_json(by_alias=True, exclude_unset=True)) for row in pages]
        expected = served(live, f"/api/v1/companies/{COMPANY}/{name}?limit=100")["data"]
        assert len(rows) == len(expected)
        assert [row.get("filing_id") or row.get("holder_id") or row.get("event_id") for row in rows] == [
            row.get("filing_id") or row.get("holder_id") or row.get("event_id") for row in expected
        ]
        assert len(pages.data) == min(1, len(expected))


def test_search_and_frames(live: Live) -> None:
    pytest.importorskip("polars")
    with live.client() as client:
        found = client.companies.search(country=["SE", "NO"], limit=2)
        frame = found.to_polars()
        assert frame["id"].to_list() == [one.id for one in found]
        assert set(frame["country"]) == {"SE", "NO"}
        assert client.companies.search("no company has this name").data == []


def test_events_of_all_companies(live: Live) -> None:
    with live.client() as client:
        everything = [event.sequence for event in client.events.list(limit=2)]
        assert everything == sorted(everything) != []
        assert [event.sequence for event in client.events.list(since=everything[0], limit=2)] == everything[1:]
        tailed = list(itertools.islice(client.events.tail(since=everything[0], poll_seconds=0), len(everything) - 1))
        assert [event.sequence for event in tailed] == everything[1:]
        streamed = list(itertools.islice(client.events.stream(since=0), len(everything)))
        assert [event.sequence for event in streamed] == everything
        resumed = list(itertools.islice(client.events.stream(last_event_id=everything[0]), 1))
        assert resumed[0].sequence == everything[1]


def test_watchlists(live: Live) -> None:
    with live.client() as client:
        made = client.watchlists.create("Suppliers")
        assert client.watchlists.change(made.id, add=[COMPANY]).added == 1
        assert [one.company_id for one in client.watchlists.companies(made.id)] == [COMPANY]
        assert made.id in [one.id for one in client.watchlists.list()]
        client.watchlists.delete(made.id)
        assert made.id not in [one.id for one in client.watchlists.list()]


def test_the_same_awaited(live: Live) -> None:
    async def run() -> None:
        async with live.async_client() as client:
            first = await client.companies.get(COMPANY)
            assert first.id == COMPANY
            assert await client.companies.get(COMPANY) == first  # confirmed by its tag
            rows = [row async for row in client.companies.financials(COMPANY, limit=1)]
            assert len(rows) == len(served(live, f"/api/v1/companies/{COMPANY}/financials?limit=100")["data"])
            found: list[int] = []
            async for event in client.events.stream(since=0):
                found.append(event.sequence)
                if len(found) == 3:
                    break
            assert found == sorted(found)
            listed = [event.sequence async for event in client.events.list(since=found[0], limit=1)]
            assert listed[:2] == found[1:]
            assert (await client.markets())[0].market
            with pytest.raises(firmdata.ApiError, match="company_not_found"):
                await client.companies.get("firm:SE:5560000001")

    asyncio.run(run())


def test_errors_say_what_the_problem_is(live: Live) -> None:
    with live.client() as client:
        with pytest.raises(firmdata.ApiError) as caught:
            client.companies.get("firm:SE:5560000001")
        assert (caught.value.status, caught.value.code) == (404, "company_not_found")
        assert caught.value.problem["reason"]
        assert caught.value.request_id
    with live.client(api_key="firm_live_wrong") as client, pytest.raises(firmdata.ApiError, match="invalid_api_key"):
        client.companies.get(COMPANY)


def test_settings_come_from_the_environment(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRMDATA_API_KEY", "FIRMDATA_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="set FIRMDATA_API_KEY"):
        firmdata.Client()
    with pytest.raises(ValueError, match="set FIRMDATA_BASE_URL"):
        firmdata.Client(api_key="k")
    with pytest.raises(ValueError, match="is a URL"):
        firmdata.Client(api_key="k", base_url="api.example.com")
    monkeypatch.setenv("FIRMDATA_API_KEY", live.service.key)
    monkeypatch.setenv("FIRMDATA_BASE_URL", live.url + "/")
    with firmdata.Client() as client:
        assert client.usage().tier == "business"


def test_it_waits_as_long_as_it_is_asked_to() -> None:
    client, service, waits = played((429, {"Retry-After": "7"}, b"{}"), (503, {"Retry-After": "2"}, b"{}"), DONE)
    assert client.companies.search("x").data == []
    assert waits == [7.0, 2.0]
    assert len(service.asked) == 3


def test_failures_are_repeated_with_growing_waits_and_then_told() -> None:
    client, _, waits = played(*[httpx.ConnectError("no")] * 4)
    with pytest.raises(firmdata.ConnectionFailedError, match="after 4 attempts"):
        client.companies.get(COMPANY)
    assert len(waits) == 3
    assert all(0.25 * 2**place <= wait <= 0.5 * 2**place for place, wait in enumerate(waits))
    client, _, waits = played((502, {}, b"<html>bad gateway"), httpx.ReadError("cut"), DONE)
    assert client.companies.search("x").data == []
    client, _, _ = played((502, {}, b"<html>bad gateway"), retries=RetryPolicy(attempts=1))
    with pytest.raises(firmdata.ApiError, match="502 unreadable_response"):
        client.companies.search("x").data  # noqa: B018


def test_a_wait_that_is_too_long_is_an_error_that_names_it() -> None:
    problem = b'{"code":"quota_exceeded","detail":"used","status":429}'
    client, service, waits = played((429, {"Retry-After": "90000"}, problem))
    with pytest.raises(firmdata.ApiError, match="quota_exceeded") as caught:
        client.companies.get(COMPANY)
    assert (caught.value.retry_after, waits, len(service.asked)) == (90000.0, [], 1)


@pytest.mark.parametrize("company", ["", ".", ".."])
def test_what_is_no_segment_of_an_address_is_not_sent(company: str) -> None:
    """The events of `..` would be those of all companies."""
    client, service, _ = played()
    for ask in (client.companies.get, client.companies.events, client.watchlists.delete, client.webhooks.delete):
        with pytest.raises(ValueError, match="cannot be part of an address"):
            ask(company)
    assert service.asked == []


def test_a_change_is_repeated_with_the_same_key() -> None:
    made = b'{"id":"wl_1","name":"x","company_count":0,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}'
    client, service, _ = played((503, {}, b"{}"), (201, {}, made))
    assert client.watchlists.create("x").id == "wl_1"
    keys = {request.headers["Idempotency-Key"] for request in service.asked}
    assert (len(service.asked), len(keys)) == (2, 1)


def test_client_errors_are_not_repeated() -> None:
    client, service, _ = played((400, {}, b'{"code":"invalid_parameter","detail":"no"}'))
    with pytest.raises(firmdata.ApiError, match="invalid_parameter"):
        client.companies.search(limit=0).data  # noqa: B018
    assert len(service.asked) == 1


def test_a_stream_that_is_cut_goes_on_after_its_last_event(live: Live) -> None:
    events = served(live, "/api/v1/events?limit=3")["data"]

    def sent(*chosen: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        text = "".join(f"id: {one['sequence']}\nevent: x\ndata: {json.dumps(one)}\n\n" for one in chosen)
        return 200, {"Content-Type": "text/event-stream"}, (text + ":\n\n").encode()

    bye = b'event: bye\ndata: {"reason":"shutdown"}\n\n'
    client, service, _ = played(
        sent(events[0]),
        httpx.ReadError("cut"),
        (503, {"Retry-After": "1"}, b"{}"),
        (200, {"Content-Type": "text/event-stream"}, bye),
        sent(*events[1:]),
    )
    found = list(itertools.islice(client.events.stream(since=0), 3))
    assert [event.sequence for event in found] == [one["sequence"] for one in events]
    begun = [(request.headers.get("Last-Event-ID"), request.url.params.get("since")) for request in service.asked]
    assert begun == [(None, "0"), *[(str(events[0]["sequence"]), None)] * 4]
    client, _, _ = played((403, {}, b'{"code":"tier_required","detail":"no"}'))
    with pytest.raises(firmdata.ApiError, match="tier_required"):
        next(client.events.stream())


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
def test_a_stream_that_is_cut_before_its_first_event_goes_on_where_it_began(live: Live, awaited: bool) -> None:
    [event] = served(live, "/api/v1/events?limit=1")["data"]
    kind, begun = {"Content-Type": "text/event-stream"}, event["sequence"] - 1
    text = f"id: {event['sequence']}\ndata: {json.dumps(event)}\n\n"
    answers = (200, kind, f"retry: 5000\nid: {begun}\n\n:\n\n".encode()), (200, kind, text.encode())
    if awaited:
        found, service = asyncio.run(first_awaited(*answers))
    else:
        client, service, _ = played(*answers)
        found = next(client.events.stream())
    assert found.sequence == event["sequence"]
    assert [request.headers.get("Last-Event-ID") for request in service.asked] == [None, str(begun)]


@pytest.mark.parametrize("awaited", [False, True])
def test_a_title_with_separators_of_lines_ends_no_line_of_a_stream(awaited: bool) -> None:
    document = json.loads((Path(__file__).parents[1] / "architecture" / "openapi.json").read_text(encoding="utf-8"))
    webhook = document["webhooks"]["news.published"]["post"]["requestBody"]["content"]["application/json"]
    data = webhook["example"]["data"]
    data["news"]["title"] = title = "a\u2028b\u2029c\u0085d"
    event = {name: data[name] for name in ("company_id", "sequence", "occurred_at")}
    event |= {"event_id": "evt_1", "event_type": "news.published", "recorded_at": data["occurred_at"], "data": data}
    block = f"id: 7\nevent: news.published\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
    answer = httpx.MockTransport(
        lambda _: httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=block)
    )

    async def first() -> firmdata.models.Event:
        async with firmdata.AsyncClient("key", "https://api.example.com", transport=answer) as client:
            return await anext(client.events.stream())

    if awaited:
        found = asyncio.run(first())
    else:
        with firmdata.Client("key", "https://api.example.com", transport=answer) as client:
            found = next(client.events.stream())
    assert found.data.model_dump()["news"]["title"] == title


def test_a_stream_that_ends_as_soon_as_it_begins_is_asked_for_more_and_more_seldom(live: Live) -> None:
    [event] = served(live, "/api/v1/events?limit=1")["data"]
    empty = (200, {"Content-Type": "text/event-stream"}, b"retry: 5000\n\n")
    text = f"id: {event['sequence']}\ndata: {json.dumps(event)}\n\n".encode()
    client, _, waits = played(empty, empty, empty, (200, {"Content-Type": "text/event-stream"}, text))
    next(client.events.stream())
    assert all(0.25 * 2**place <= wait <= 0.5 * 2**place for place, wait in enumerate(waits))
    assert len(waits) == 3


@check_cases(
    "headers, keep, asked",
    [
        ({"ETag": '"a"'}, 100, ['"a"', '"a"']),
        ({"ETag": '"a"'}, 0, [None, None]),
        ({}, 100, [None, None]),
        ({"ETag": '"a"', "Cache-Control": "no-store"}, 100, [None, None]),
    ],
)
def test_an_answer_with_a_tag_is_confirmed(headers: dict[str, str], keep: int, asked: list[str | None]) -> None:
    later = (304, {}, b"") if asked[0] else DONE
    client, service, _ = played((*DONE[:1], headers, DONE[2]), later, later, DONE, keep=keep)
    for q in ("x", "x", "x", "other"):
        assert client.companies.search(q).data == []
    assert [request.headers.get("If-None-Match") for request in service.asked] == [None, *asked, None]


def test_an_event_of_a_later_type_is_read_and_each_known_type_is_itself() -> None:
    document = json.loads((Path(__file__).parents[1] / "architecture" / "openapi.json").read_text(encoding="utf-8"))
    for event_type, webhook in document["webhooks"].items():
        data = webhook["post"]["requestBody"]["content"]["application/json"]["example"]["data"]
        event = {name: data[name] for name in ("company_id", "sequence", "occurred_at")}
        event |= {"event_id": "evt_1", "event_type": event_type, "recorded_at": data["occurred_at"], "data": data}
        read = firmdata.models.Event.model_validate_json(json.dumps(event))
        schema = webhook["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert schema.removesuffix("Webhook") == type(read.data).__name__.removesuffix("Data")
        common = {name: data[name] for name in data if name not in {"filing", "change", "news", "notice"}}
        for later in ({"proceeding": {"kind": "x"}}, {"change": {"previous_capital": 1}}, {}):
            event |= {"event_type": "capital.changed", "data": common | later}
            page = {"data": [event], "next_cursor": "x", "has_more": False}
            [found] = firmdata.models.EventFeed.model_validate_json(json.dumps(page)).data
            assert found.data.org_nr == data["org_nr"]
            assert json.loads(found.model_dump_json(by_alias=True, exclude_unset=True))["data"] == common | later


def test_an_answer_of_a_later_version_is_read() -> None:
    row = b'{"data":[{"watched":1}],"next_cursor":null,"has_more":false,"new":{"x":1}}'
    client, _, _ = played((200, {}, row.replace(b'{"watched":1}', b"")))
    assert client.watchlists.list().first_page.new == {"x": 1}


@check_cases(
    "text, seconds",
    [
        ("3", 3.0),
        ("0", 0.0),
        (" 7.5 ", 7.5),
        ("9" * 30, 1e30),
        ("Sat, 21 Nov 2026 09:00:30 GMT", 30.0),
        # no delay of RFC 9110 10.2.3, so that the usual waits follow, not none
        ("-1", None),
        ("1e3", None),
        ("1_0", None),
        ("nan", None),
        ("Sat, 21 Nov 2026 9999999999:00:30 GMT", None),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after(text: str, seconds: float | None) -> None:
    assert retry_after({"Retry-After": text}, 1795251600.0) == seconds


def test_parameters_are_sent_as_the_api_reads_them() -> None:
    import datetime as dt

    assert query({"is_listed": True, "country": ["SE", "NO"], "from_": dt.date(2026, 1, 2), "q": None, "limit": 5}) == {
        "is_listed": "true",
        "country": "SE,NO",
        "from": "2026-01-02",
        "limit": "5",
    }
    instant = dt.datetime(2026, 1, 2, 3, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    assert query({"since": instant}) == {"since": "2026-01-02T01:00:00Z"}
    with pytest.raises(ValueError, match="2026-01-02T03:00:00 has no time zone"):
        query({"since": instant.replace(tzinfo=None)})
