"""List responses: the body of one page, its ETag, its cursor and the Link to the next page.

See docs/contract/contract.md 4.0, «Lists». Does not belong here: querying a page (`warehouse.reader.reader`) or
signing cursors (`api.http.pagination.cursors`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Generic, NamedTuple, TypeVar
from urllib.parse import quote, unquote_to_bytes

import msgspec

from api.http.context import RequestContext
from api.http.pagination.cursors import PERIOD_SECONDS, CursorBinding, invalid_cursor
from api.http.query.model import is_ignored
from api.http.response_headers import Headers, content_digest, modified_at
from api.http.responses import Header, HttpResponse, data_response, json_response
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import CompanyHeader, InvalidPageKeyError, Key, ResultPage

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReleaseResult(Generic[T]):
    """A query result of one release, with the headers that identify the release."""

    stamps: Headers
    value: T


@dataclass(frozen=True, slots=True)
class NextCursor:
    """The cursor after a page; that of an ascending tail never expires."""

    text: str
    expires: bool
    replaces: bytes = b"cursor"
    """A parameter of first pages alone, which the Link to the next page leaves out."""


class PageFrame(NamedTuple):
    """The text of an object before the members of a page and after them.

    untagged, untagged_end: members of the page, and the end of the object, that the tag ignores.
    """

    before: bytes
    after: bytes
    untagged: bytes = b""
    untagged_end: bytes = b""


class PageMembers(NamedTuple):
    """Members of a page before its rows, without braces.

    untagged: those that differ between two requests for the same; the tag leaves them out.
    """

    tagged: bytes = b""
    untagged: bytes = b""


NO_MEMBERS: Final = PageMembers()


async def query_release(context: RequestContext, query: Callable[[PinnedRelease], T]) -> ReleaseResult[T]:
    """Queries the current release in a thread; the release stays pinned until the query ends."""
    service = context.services

    def answer() -> ReleaseResult[T]:
        with service.release_reader.pin_release() as snapshot:
            return ReleaseResult(service.release_headers.of(snapshot), query(snapshot))

    try:
        return await service.list_query_pool.run(answer)
    except InvalidPageKeyError:  # a valid cursor of an older version, which sorted its lists differently
        raise invalid_cursor() from None


def after_key(context: RequestContext, cursor: str | None, binding: CursorBinding) -> Key | None:
    """The sort key in the request's cursor; None for a first page."""
    return None if cursor is None else context.services.cursor_cipher.read(cursor, binding)


def head_members(head: CompanyHeader) -> bytes:
    """Encodes `company_id`, `org_number`, `name` as the start of an object, without its brace."""
    return msgspec.json.encode({"company_id": head.company_id, "org_number": head.org_number, "name": head.name})[1:-1]


def page_response(
    context: RequestContext,
    release_headers: Headers,
    page: ResultPage,
    next_cursor: NextCursor | None,
    *,
    members: PageMembers = NO_MEMBERS,
    extra: list[Header] | None = None,
) -> HttpResponse:
    """Response with one page.

    `next_cursor` differs between keys and over time, so the ETag ignores it. If it expires, tag and Last-Modified
    change with the period of its issue instead: no 304 confirms a page whose cursor has less than half its time left.
    """
    before = b"{" + (members.tagged + b"," if members.tagged else b"")
    return framed_page_response(
        context, release_headers, page, next_cursor, PageFrame(before, b"}", members.untagged), extra=extra
    )


def framed_page_response(
    context: RequestContext,
    release_headers: Headers,
    page: ResultPage,
    next_cursor: NextCursor | None,
    frame: PageFrame,
    *,
    extra: list[Header] | None = None,
) -> HttpResponse:
    """Response with one page whose members are not those of the whole object (`page_response`)."""
    before, after, untagged, untagged_end = frame
    rows = b'"data":[' + b",".join(page.rows) + b"]"
    end = (b',"has_more":true' if page.has_more else b',"has_more":false') + after
    cursor = b"null"
    headers = list(extra or ())
    tagged = [before, rows, end]
    if next_cursor is not None:
        cursor = msgspec.json.encode(next_cursor.text)
        headers.append((b"link", _next_link(context, next_cursor.text, next_cursor.replaces)))
        if next_cursor.expires:
            period = int(context.services.clock.wall()) // PERIOD_SECONDS
            tagged.append(b"%d" % period)
            release_headers = modified_at(release_headers, datetime.fromtimestamp(period * PERIOD_SECONDS, UTC))
    apart = untagged + b"," if untagged else b""
    body = before + apart + rows + b',"next_cursor":' + cursor + end + untagged_end
    return data_response(context, release_headers, body, content_digest(*tagged), headers)


def account_page_response(context: RequestContext, rows: Sequence[bytes], next_cursor: str | None) -> HttpResponse:
    """Response with one page of account data: it belongs to no release and is not cached."""
    start = b'{"data":[' + b",".join(rows) + b'],"next_cursor":' + msgspec.json.encode(next_cursor)
    if next_cursor is None:
        return json_response(200, start + b',"has_more":false}')
    return json_response(200, start + b',"has_more":true}', [(b"link", _next_link(context, next_cursor))])


def issue_next_cursor(context: RequestContext, page: ResultPage, binding: CursorBinding) -> NextCursor | None:
    """The cursor after the last row, if more rows follow."""
    return issue_cursor(context, page.keys[-1], binding) if page.has_more else None


def issue_cursor(context: RequestContext, key: Key, binding: CursorBinding) -> NextCursor:
    """The cursor after the row with this sort key."""
    return NextCursor(context.services.cursor_cipher.issue(binding, key), expires=not binding.lasting)


def _next_link(call: RequestContext, cursor: str, replaced: bytes = b"cursor") -> bytes:
    dropped = (b"cursor", replaced)
    kept = [part for part in call.query_string.split(b"&") if part and not _is_dropped(part, dropped)]
    target = b"&".join([*kept, b"cursor=" + cursor.encode()])
    address = call.services.settings.public_url + quote(call.path, safe="/:")
    return b"<" + address.encode() + b"?" + target.replace(b">", b"%3E") + b'>; rel="next"'


def _is_dropped(part: bytes, dropped: tuple[bytes, ...]) -> bool:
    """True if a part of a query string is ignored or one of `dropped`, even if its name is percent-encoded."""
    return is_ignored(part.decode("latin-1")) or unquote_to_bytes(part.partition(b"=")[0]) in dropped


def merge_json_objects(parts: Mapping[str, bytes], members: tuple[str, ...], body: bytes) -> bytes:
    """Appends the members of further objects to a JSON object without decoding any of them."""
    inner = [part[1:-1] for name in members if (part := parts.get(name, b"{}")) != b"{}"]
    return b",".join([body[:-1], *inner]) + b"}" if inner else body
