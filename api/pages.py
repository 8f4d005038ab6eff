"""List responses: the body of one page, its ETag, its cursor and the Link to the next page.

See docs/contract/contract.md 4.0, «Lists». Does not belong here: querying a page (`warehouse.reader`) or
signing cursors (`api.pagination`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import quote, unquote_to_bytes

import msgspec

from api.answers import Answer, Header, data_answer, plain_answer
from api.call import Call
from api.conditional import digest
from api.pagination import Binding, invalid_cursor
from api.parameters import Values
from api.queries import CURSOR
from api.stamps import Headers
from warehouse.reading import BadKey, Head, Key, Page, Snapshot

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Told(Generic[T]):
    """A query result of one release, with the headers that identify the release."""

    stamps: Headers
    value: T


async def ask(call: Call, question: Callable[[Snapshot], T]) -> Told[T]:
    """Queries the current release in a thread; the release stays pinned until the query ends."""
    service = call.service

    def answer() -> Told[T]:
        with service.reader.pin() as snapshot:
            return Told(service.stamps.of(snapshot), question(snapshot))

    try:
        return await service.lists.run(answer)
    except BadKey:  # a valid cursor of an older version, which sorted its lists differently
        raise invalid_cursor() from None


def after(call: Call, values: Values, binding: Binding) -> Key | None:
    """The sort key in the request's cursor; None for a first page."""
    cursor = values[CURSOR]
    return None if cursor is None else call.service.cursors.read(cursor, binding)


def head_members(head: Head) -> bytes:
    """Encodes `company_id`, `org_number`, `name` as the start of an object, without its brace."""
    return msgspec.json.encode(
        {"company_id": head.company_id, "org_number": head.org_number, "name": head.name}
    )[1:-1]


def page_answer(
    call: Call,
    stamps: Headers,
    page: Page,
    next_cursor: str | None,
    *,
    members: bytes = b"",
    extra: list[Header] | None = None,
) -> Answer:
    """Response with one page. The ETag ignores `next_cursor`, which differs between keys and over time."""
    start = b"{" + (members + b"," if members else b"") + b'"data":[' + b",".join(page.rows) + b"]"
    end = b',"has_more":true}' if page.has_more else b',"has_more":false}'
    cursor = msgspec.json.encode(next_cursor)
    headers = list(extra or ())
    if next_cursor is not None:
        headers.append((b"link", _link(call, next_cursor)))
    return data_answer(call, stamps, start + b',"next_cursor":' + cursor + end, digest(start, end), headers)


def own_page_answer(call: Call, rows: Sequence[bytes], next_cursor: str | None) -> Answer:
    """Response with one page of account data: it belongs to no release and is not cached."""
    start = b'{"data":[' + b",".join(rows) + b'],"next_cursor":' + msgspec.json.encode(next_cursor)
    if next_cursor is None:
        return plain_answer(200, start + b',"has_more":false}')
    return plain_answer(200, start + b',"has_more":true}', [(b"link", _link(call, next_cursor))])


def next_after(call: Call, page: Page, binding: Binding) -> str | None:
    """The cursor after the last row, if more rows follow."""
    return call.service.cursors.issue(binding, page.keys[-1]) if page.has_more else None


def _link(call: Call, cursor: str) -> bytes:
    kept = [part for part in call.query.split(b"&") if part and not _is_cursor(part)]
    target = b"&".join([*kept, b"cursor=" + cursor.encode()])
    address = call.service.settings.public_url + quote(call.path, safe="/:")
    return b"<" + address.encode() + b"?" + target.replace(b">", b"%3E") + b'>; rel="next"'


def _is_cursor(part: bytes) -> bool:
    """True if a part of a query string is the cursor, even if its name is percent-encoded."""
    return unquote_to_bytes(part.partition(b"=")[0]) == b"cursor"


def merged(parts: Mapping[str, bytes], wanted: tuple[str, ...], body: bytes) -> bytes:
    """Appends the members of further objects to a JSON object without decoding any of them."""
    inner = [part[1:-1] for name in wanted if (part := parts.get(name, b"{}")) != b"{}"]
    return b",".join([body[:-1], *inner]) + b"}" if inner else body
