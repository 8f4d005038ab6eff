"""The stream of every company's events, as server-sent events (docs/contract/contract.md 4.5b).

A stream first reads the ledger page by page, as fast as its client takes them, then joins the tail that all streams
share. It ends with `event: bye`. Does not belong here: the list (`api.events.routes.event_list`), the tail.
"""

import asyncio
import re
from dataclasses import replace
from typing import Final

from litestar import get
from litestar.types import Receive, Scope, Send

from api.events.event_tail import EventChunk, OpenStream, event_chunk
from api.events.query_params import StreamParams, position_of
from api.events.routes.event_list import FILTERS_TEXT, check_watchlists
from api.events.watched import has_watchlists
from api.http.content_negotiation import EVENT_STREAM
from api.http.context import SECRET_KEY, ApiRequest, RequestContext
from api.http.pagination.responses import query_release
from api.http.response_headers import NO_STORE, VARY
from api.http.responses import HttpResponse
from api.openapi.examples import companies as examples
from api.openapi.operation import Operation
from api.openapi.response_headers import OF_ACCOUNT
from api.problems.problem import ProblemDetail, ProblemError, new_problem
from api.schemas.declare import ECHO
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import LedgerPage

STREAM: Final = replace(SECRET_KEY, required_feature="all_events", media_type=EVENT_STREAM)
HEARTBEAT_SECONDS: Final = 15.0
EVENTS_PER_REQUEST: Final = 100
_PAGE_EVENTS: Final = 100
_HEADERS: Final = ((b"content-type", EVENT_STREAM), NO_STORE, VARY, (b"x-accel-buffering", b"no"))
_BEGINNING: Final = b"retry: 5000\nid: %d\n\n"
_HEARTBEAT: Final = b":\n\n"
_SEQUENCE: Final = re.compile(rb"0|[1-9][0-9]{0,17}")
_UNAUTHENTICATED: Final = 401
_BUSY_SECONDS: Final = 0.5


class EventStreamResponse(HttpResponse):
    """A response that goes on, until the client leaves or the stream ends with `bye`."""

    __slots__ = ("_checked_at", "_context", "_sent", "_stream", "_stream_id", "_streams", "_written_at")

    def __init__(self, context: RequestContext, stream_id: str, stream: OpenStream) -> None:
        super().__init__(200, _HEADERS, _BEGINNING % stream.position)
        self._context = context
        self._streams = context.services.event_streams
        self._stream_id = stream_id
        self._stream = stream
        self._sent = 0
        self._checked_at = self._written_at = asyncio.get_running_loop().time()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 -- ASGI's signature
        stream = self._stream
        watch = asyncio.ensure_future(_until_disconnected(receive))
        watch.add_done_callback(lambda _: stream.end("disconnected"))
        try:
            await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
            await self._write(send, self.body)
            await self._catch_up(send)
            await self._follow(send)
            bye = b'event: bye\ndata: {"reason":"%b"}\n\n' % (stream.end_reason or "quota").encode()
            await send({"type": "http.response.body", "body": bye, "more_body": False})
        finally:
            watch.cancel()
            self._streams.tail.leave(stream)
            await self._streams.close(self._stream_id)

    async def _catch_up(self, send: Send) -> None:
        """Sends what the ledger has, until the stream joins the tail or ends."""
        stream, tail, has_caught_up, ledger_end = self._stream, self._streams.tail, False, 0

        chosen = stream.query.choice(self._context.services.control_database)

        def query_ledger(snapshot: PinnedRelease) -> tuple[LedgerPage, int]:
            page = snapshot.ledger_events(stream.query.ledger, stream.position, _PAGE_EVENTS, chosen)
            return page, snapshot.last_sequence

        while stream.end_reason is None and not (has_caught_up and tail.join(stream, ledger_end)):
            try:
                page, ledger_end = (await query_release(self._context, query_ledger)).value
            except ProblemError:  # too many queries at once
                await asyncio.sleep(_BUSY_SECONDS)
            else:
                await self._send_chunk(send, event_chunk(page.events))
                stream.position, has_caught_up = page.seen_to, not page.has_more
            if asyncio.get_running_loop().time() - self._written_at >= HEARTBEAT_SECONDS:
                await self._write(send, _HEARTBEAT)
            await self._check_access()

    async def _follow(self, send: Send) -> None:
        """Sends what the tail brings, and comments while it brings nothing."""
        stream = self._stream
        while stream.end_reason is None:
            chunk = await stream.take(HEARTBEAT_SECONDS)
            if chunk is not None:
                await self._send_chunk(send, chunk)
                stream.written(chunk)
            elif stream.end_reason is None:
                await self._write(send, _HEARTBEAT)
            await self._check_access()

    async def _write(self, send: Send, body: bytes) -> None:
        await send({"type": "http.response.body", "body": body, "more_body": True})
        self._written_at = asyncio.get_running_loop().time()

    async def _check_access(self) -> None:
        """Ends a stream that may not go on, which it finds out every 15 seconds."""
        now = asyncio.get_running_loop().time()
        if now - self._checked_at < HEARTBEAT_SECONDS:
            return
        self._checked_at = now
        if not await self._is_still_allowed():
            self._stream.end("access")
        elif not await self._has_watchlists():
            self._stream.end("watchlist")

    async def _send_chunk(self, send: Send, chunk: EventChunk) -> None:
        """Sends events, if the quota has room for them."""
        further = (self._sent + chunk.events) // EVENTS_PER_REQUEST - self._sent // EVENTS_PER_REQUEST
        limits = self._context.required_caller.account_limits
        if not self._context.services.rate_limiter.count_further(limits, further):
            self._stream.end("quota")
        elif chunk.events:
            self._sent += chunk.events
            await self._write(send, chunk.body)

    async def _is_still_allowed(self) -> bool:
        """False if the key or the account may no longer read; true while that cannot be found out."""
        authenticator = self._context.services.authenticator
        authorization = self._context.request_headers.get(b"authorization")
        try:
            caller = authenticator.cached_caller(authorization) or await authenticator.authenticate_key(authorization)
        except ProblemError as problem:
            return problem.status != _UNAUTHENTICATED
        self._context.caller = caller
        return caller.account_status == "active" and caller.account_limits.tier.all_events

    async def _has_watchlists(self) -> bool:
        """False if a watchlist of the filter was deleted; true while that cannot be found out."""
        services, wanted = self._context.services, self._stream.query.watchlists
        try:
            return not wanted or await has_watchlists(services.control_database, self._context.account_id, wanted)
        except ProblemError:
            return True


@get(
    "/api/v1/events/stream",
    policy=STREAM,
    summary="Stream events of all companies",
    description="The events of listEvents as `text/event-stream`: `id` is the sequence, `event` the type, `data` the "
    "event. Begins after `Last-Event-ID`, else with `since`, else with the next event; the first block has the `id` "
    "after which it begins, and no event. "
    f"{FILTERS_TEXT} A comment is sent every 15 seconds without an event. The stream ends with `event: bye`, whose "
    "`data.reason` is shutdown, access (the key was revoked, the account suspended), quota, watchlist (one that it "
    "filters by was deleted) or backlog (the client reads too slowly): reconnect with `Last-Event-ID`, and nothing is "
    "lost. A connection counts as one request, each further 100 events as one. The tier limits the open connections of "
    "an account; above that 429. Requires the Pro or Business tier.",
    response_description="Events, as they are published.",
    operation=Operation(
        {"type": "string", "maxLength": 2**31 - 1, "pattern": ECHO},
        OF_ACCOUNT,
        examples.EVENT_STREAM["text"],
        request_headers=("Last-Event-ID",),
    ),
)
async def stream_events(request: ApiRequest[StreamParams]) -> HttpResponse:
    context = request.context
    query = request.values.feed_query()
    await check_watchlists(context, query)
    last_event = _last_event_id(context)

    def beginning(snapshot: PinnedRelease) -> int:
        if last_event is not None:
            return last_event
        return snapshot.last_sequence if request.values.since is None else position_of(snapshot, request.values.since)

    position = (await query_release(context, beginning)).value
    if context.method == "HEAD":
        return HttpResponse(200, _HEADERS, b"")
    limits = context.required_caller.account_limits
    stream_id = await context.services.event_streams.open(context.account_id, limits.tier.event_streams)
    if stream_id is None:
        raise context.services.rate_limiter.stream_limit_problem(limits)
    return EventStreamResponse(context, stream_id, OpenStream(query, position))


def _last_event_id(context: RequestContext) -> int | None:
    given = context.request_headers.get(b"last-event-id", b"").strip()
    if not given:
        return None
    if not _SEQUENCE.fullmatch(given):
        requirement = "must be the id of an event of the stream, a sequence number"
        error = ProblemDetail("format", requirement, header="Last-Event-ID")
        raise new_problem("invalid_parameter", f"The header Last-Event-ID {requirement}.", error)
    return int(given)


async def _until_disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
