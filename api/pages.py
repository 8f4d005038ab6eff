"""Lists: the body of one page, its tag, its cursor and the Link to the next.

See docs/contract/contract.md 4.0, «Lists».

Does not belong here: how a page is found (`warehouse.reader`) or signed (`api.pagination`).
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
    """What one release says, with the headers that name the release."""

    stamps: Headers
    value: T


async def ask(call: Call, question: Callable[[Snapshot], T]) -> Told[T]:
    """Put a question to the present release, in a thread; the release stays pinned until it is answered."""
    service = call.service

    def answer() -> Told[T]:
        with service.reader.pin() as snapshot:
            return Told(service.stamps.of(snapshot), question(snapshot))

    try:
        return await service.lists.run(answer)
    except BadKey:  # a cursor of ours, written by an older edition whose lists were sorted otherwise
        raise invalid_cursor() from None


def after(call: Call, values: Values, binding: Binding) -> Key | None:
    """The sort key that the request's cursor names; None for a first page."""
    cursor = values[CURSOR]
    return None if cursor is None else call.service.cursors.read(cursor, binding)


def head_members(head: Head) -> bytes:
    """`company_id`, `org_number`, `name` as the beginning of an object, without its brace."""
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
    """The answer for one page. The tag leaves `next_cursor` out, which differs between keys and moments."""
    start = b"{" + (members + b"," if members else b"") + b'"data":[' + b",".join(page.rows) + b"]"
    end = b',"has_more":true}' if page.has_more else b',"has_more":false}'
    cursor = msgspec.json.encode(next_cursor)
    headers = list(extra or ())
    if next_cursor is not None:
        headers.append((b"link", _link(call, next_cursor)))
    return data_answer(call, stamps, start + b',"next_cursor":' + cursor + end, digest(start, end), headers)


def own_page_answer(call: Call, rows: Sequence[bytes], next_cursor: str | None) -> Answer:
    """The answer for one page of what is the account's own: it belongs to no release and is not kept."""
    start = b'{"data":[' + b",".join(rows) + b'],"next_cursor":' + msgspec.json.encode(next_cursor)
    if next_cursor is None:
        return plain_answer(200, start + b',"has_more":false}')
    return plain_answer(200, start + b',"has_more":true}', [(b"link", _link(call, next_cursor))])


def next_after(call: Call, page: Page, binding: Binding) -> str | None:
    """The cursor after the last row, where more rows follow."""
    return call.service.cursors.issue(binding, page.keys[-1]) if page.has_more else None


def _link(call: Call, cursor: str) -> bytes:
    kept = [part for part in call.query.split(b"&") if part and not _is_cursor(part)]
    target = b"&".join([*kept, b"cursor=" + cursor.encode()])
    address = call.service.settings.public_url + quote(call.path, safe="/:")
    return b"<" + address.encode() + b"?" + target.replace(b">", b"%3E") + b'>; rel="next"'


def _is_cursor(part: bytes) -> bool:
    """Whether a part of a query is the cursor, also where its name is written with escapes."""
    return unquote_to_bytes(part.partition(b"=")[0]) == b"cursor"


def merged(parts: Mapping[str, bytes], wanted: tuple[str, ...], body: bytes) -> bytes:
    """A JSON object with the members of further objects put at its end, without decoding any of them."""
    inner = [part[1:-1] for name in wanted if (part := parts.get(name, b"{}")) != b"{}"]
    return b",".join([body[:-1], *inner]) + b"}" if inner else body
