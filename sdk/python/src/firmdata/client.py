"""The client for scripts: it blocks until an answer is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Any

import httpx
from httpx_sse import connect_sse
from typing_extensions import Self

from firmdata import calls, models
from firmdata.calls import (
    ALL_EVENTS,
    BROKEN,
    ApiCall,
    StreamedEvent,
    answer_of,
    company_path,
    error_of,
    get,
    is_event_stream,
    post,
    query,
)
from firmdata.errors import ApiError, ConnectionFailedError
from firmdata.kept_answers import NOT_MODIFIED, KeptAnswers, asking_headers
from firmdata.pages import Pages
from firmdata.retries import LASTING_SECONDS, RetryPolicy, is_repeatable, was_deleted
from firmdata.settings import ClientSettings

Values = str | Sequence[str] | None
Day = date | str | None
Moment = datetime | str | None


class Companies:
    """Companies: by id (`firm:SE:5599999991`) or by registration number."""

    def __init__(self, send: Callable[[ApiCall[Any]], Any]) -> None:
        self._send = send

    def get(
        self, company: str, *, include: Values = None, as_of: Day = None, known_at: Moment = None
    ) -> models.Company:
        """The profile. include: `detail`, `identifiers`, `address`, `sources`. as_of, known_at: of an earlier day."""
        params = query({"include": include, "as_of": as_of, "known_at": known_at})
        return self._send(ApiCall("GET", company_path(company), models.Company, params))

    def search(self, q: str | None = None, **params: Any) -> Pages[models.Company]:
        """Companies by name (prefixes match, typos are tolerated) and by every filter of the API, as `country="SE"`."""
        return Pages(self._send, get("/api/v1/companies", models.CompanyList, {"q": q, **params}))

    def suggest(self, q: str, **params: Any) -> list[models.Suggestion]:
        """Companies whose name, number or ticker begins with a text: for typing."""
        return (self._send(get("/api/v1/companies/suggest", models.SuggestionList, {"q": q, **params}))).data

    def financials(self, company: str, **params: Any) -> Pages[models.FinancialPeriod]:
        """Annual and quarterly figures, newest first."""
        return Pages(self._send, get(company_path(company, "/financials"), models.FinancialsList, params))

    def ownership(self, company: str, **params: Any) -> Pages[models.Owner]:
        """Owners, largest first."""
        return Pages(self._send, get(company_path(company, "/ownership"), models.OwnershipList, params))

    def group(self, company: str, **params: Any) -> models.CompanyGroup:
        """Who stands above and below a company; `depth` 1 to 10."""
        return self._send(get(company_path(company, "/group"), models.CompanyGroup, params))

    def holdings(self, company: str, **params: Any) -> Pages[models.Holding]:
        """What a company holds in others."""
        return Pages(self._send, get(company_path(company, "/holdings"), models.HoldingList, params))

    def filings(self, company: str, **params: Any) -> Pages[models.Filing]:
        """Documents filed, newest first. `from_` and `to`: days of filing."""
        return Pages(self._send, get(company_path(company, "/filings"), models.FilingList, params))

    def events(self, company: str, **params: Any) -> Pages[models.Event]:
        """Events of one company."""
        return Pages(self._send, get(company_path(company, "/events"), models.EventList, params))

    def lookup(self, items: Sequence[dict[str, Any]], fields: Sequence[str] | None = None) -> list[models.LookupResult]:
        """Looks up to 500 companies up, by identifiers or names; one answer per item, in order."""
        body = {"items": list(items)} | ({} if fields is None else {"fields": list(fields)})
        return (self._send(post("/api/v1/companies/lookup", models.LookupAnswer, body))).data


class Events:
    """Events of all companies (tiers Pro and Business)."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self, **params: Any) -> Pages[models.Event]:
        """Events, ascending by sequence, up to the newest; `since`: a sequence number or an instant."""
        return Pages(self._client.send, get(ALL_EVENTS, models.EventFeed, params))

    def tail(self, *, since: int | Moment = None, poll_seconds: float = 10.0, **params: Any) -> Iterator[models.Event]:
        """Events without an end: those there are, then new ones as polling finds them.

        since: to go on after an earlier tail, the `sequence` of its last event.
        """
        place: dict[str, Any] = {"since": since}
        while True:
            page = self._client.send(get(ALL_EVENTS, models.EventFeed, {**params, **place}))
            yield from page.data
            place = {"cursor": page.next_cursor}
            if not page.has_more:
                self._client.sleep(poll_seconds)

    def stream(
        self, *, since: int | Moment = None, last_event_id: int | None = None, **params: Any
    ) -> Iterator[models.Event]:
        """Events as they are published. A connection that is cut is made again after the last event that was received.

        last_event_id: `sequence` of the last event that an earlier stream gave. Ends with an error only where the
        service refuses, or what answers is no stream, as where the address is another one.
        """
        seen, failures = last_event_id, 0
        while True:
            begin = {"since": since} if seen is None else {}
            headers = {} if seen is None else {"Last-Event-ID": str(seen)}
            opened_at, got_event = time.monotonic(), False
            try:
                for position, event in self._connected({**params, **begin}, headers):
                    if event is not None:
                        yield event
                        failures, got_event = 0, True
                    seen = position
                was_alive = got_event or time.monotonic() - opened_at >= LASTING_SECONDS
                failures, wait = self._client.retries.wait_after_end(failures, was_alive)
            except (*BROKEN, ApiError) as error:
                failures += 1
                wait = self._client.retries.wait_after_refusal(failures, error, time.time())
            self._client.sleep(wait)

    def _connected(self, params: dict[str, Any], headers: dict[str, str]) -> Iterator[StreamedEvent]:
        """What one connection gives, until it ends."""
        with self._client.connect_stream(query(params), headers) as source:
            if not is_event_stream(source.response):
                source.response.read()
                raise error_of(source.response, time.time())
            for one in source.iter_sse():
                if one.event == "bye":
                    return
                if one.id:
                    yield int(one.id), models.Event.model_validate_json(one.data) if one.data else None


class Watchlists:
    """Named lists of companies."""

    def __init__(self, send: Callable[[ApiCall[Any]], Any]) -> None:
        self._send = send

    def create(self, name: str) -> models.Watchlist:
        """A new, empty list."""
        return self._send(post("/api/v1/watchlists", models.Watchlist, {"name": name}))

    def list(self) -> Pages[models.Watchlist]:
        """Every list, newest first."""
        return Pages(self._send, get("/api/v1/watchlists", models.WatchlistList))

    def change(
        self, watchlist: str, *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> models.ChangedMembership:
        """Adds and removes up to 1,000 companies each, all or none."""
        body = {name: list(given) for name, given in (("add", add), ("remove", remove)) if given}
        path = f"/api/v1/watchlists/{calls.segment(watchlist)}/companies"
        return self._send(post(path, models.ChangedMembership, body))

    def companies(self, watchlist: str) -> Pages[models.WatchlistCompany]:
        """The companies of a list."""
        path = f"/api/v1/watchlists/{calls.segment(watchlist)}/companies"
        return Pages(self._send, get(path, models.WatchlistCompanyList))

    def delete(self, watchlist: str) -> None:
        """Deletes a list."""
        self._send(ApiCall("DELETE", f"/api/v1/watchlists/{calls.segment(watchlist)}", type(None)))


class Subscriptions:
    """Webhook subscriptions (tiers Pro and Business)."""

    def __init__(self, send: Callable[[ApiCall[Any]], Any]) -> None:
        self._send = send

    def create(
        self, endpoint_url: str | None, event_types: Sequence[str], **members: Any
    ) -> models.CreatedSubscription:
        """Subscribes an endpoint; the answer alone has the `secret` that verifies deliveries.

        None, with a member `destination`: a queue or a bucket.
        """
        place = {} if endpoint_url is None else {"endpoint_url": endpoint_url}
        body = {**place, "event_types": list(event_types), **members}
        return self._send(post("/api/v1/webhooks", models.CreatedSubscription, body))

    def list(self, **params: Any) -> Pages[models.Subscription]:
        """Every subscription."""
        return Pages(self._send, get("/api/v1/webhooks", models.SubscriptionList, params))

    def delete(self, subscription: str) -> None:
        """Ends a subscription."""
        self._send(ApiCall("DELETE", f"/api/v1/webhooks/{calls.segment(subscription)}", type(None)))


class Client:
    """A client with one key. Close it, or use it as a context, so that its connections end.

    api_key, base_url: default FIRMDATA_API_KEY and FIRMDATA_BASE_URL. timeout: seconds that a connection may be silent.
    retries: which attempts are repeated. keep: answers that are kept to be confirmed by their tags, which is free.
    transport: of httpx, for tests and proxies.
    """

    def __init__(  # noqa: PLR0913 -- options, given by name
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = 30.0,
        retries: RetryPolicy | None = None,
        keep: int = 100,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        settings = ClientSettings.read(api_key, base_url)
        self.retries = retries or RetryPolicy()
        self.sleep = sleep
        self._kept = KeptAnswers(keep)
        self._timeout = timeout
        self._http = httpx.Client(
            base_url=settings.base_url, headers=settings.headers, timeout=timeout, transport=transport
        )
        self.companies = Companies(self.send)
        self.events = Events(self)
        self.watchlists = Watchlists(self.send)
        self.webhooks = Subscriptions(self.send)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends its connections."""
        self._http.close()

    def markets(self) -> list[models.Market]:
        """The markets, with the freshness of their data."""
        return (self.send(get("/api/v1/markets", models.MarketList))).data

    def usage(self) -> models.Usage:
        """Requests of this month, and the limits."""
        return self.send(get("/api/v1/usage", models.Usage))

    def send(self, call: ApiCall[Any]) -> Any:
        """Sends a request, again where that does no harm; raises ApiError, ConnectionFailedError."""
        may_repeat, before = is_repeatable(call.method, call.headers), list[int | None]()
        kept = self._kept.of(call)
        headers = asking_headers(call, kept)
        while True:
            cause: httpx.RequestError | None = None
            response: httpx.Response | None = None
            try:
                response = self._http.request(
                    call.method, call.path, params=call.params, json=call.body, headers=headers
                )
            except BROKEN as error:
                cause = error
            status = None if response is None else response.status_code
            if response is not None and response.is_success:
                answer = answer_of(call, response, time.time())
                self._kept.keep(call, response)
                return answer
            if status == NOT_MODIFIED and kept is not None:
                return call.parse(kept.content)
            if was_deleted(call.method, before, status):
                return None
            before.append(status)
            answered = {} if response is None else response.headers
            wait = self.retries.wait_after(len(before), status, answered, time.time()) if may_repeat else None
            if wait is not None:
                self.sleep(wait)
            elif response is not None:
                raise error_of(response, time.time())
            else:
                where = f"{call.method} {call.path}"
                raise ConnectionFailedError(f"{where}: {cause!r} after {len(before)} attempts") from cause

    def connect_stream(self, params: dict[str, str], headers: dict[str, str]) -> Any:
        """Opens the stream of events: a context with a source of server-sent events."""
        silent = httpx.Timeout(self._timeout, read=max(self._timeout, 45.0))  # a comment comes every 15 seconds
        return connect_sse(self._http, "GET", "/api/v1/events/stream", params=params, headers=headers, timeout=silent)
