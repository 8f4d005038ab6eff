"""What receivers may send, and what an attempt makes of it: the table of docs/webhooks.md."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from api.webhooks.egress.attempt_result import AttemptResult
from tests.api.webhooks.egress.receivers import FrozenLoop, Receiver, request_to, run, sending

BEGIN: Final = "<!-- receivers: made by make generate -->"
END: Final = "<!-- receivers: end -->"
_HEAD: Final = ("status line", "what follows it", "how it comes", "attempt", "`error_detail`")

FRAMINGS: Final = {
    "a body as long as announced": b"Content-Length: 2\r\n\r\nok",
    "no body, length 0": b"Content-Length: 0\r\n\r\n",
    "neither body nor length": b"\r\n",
    "a body without length": b"\r\nok",
    "a body in chunks": b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "chunks without their end": b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
    "a chunk of no size": b"Transfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n",
    "a body longer than announced": b"Content-Length: 1\r\n\r\nok, thank you",
    "a body shorter than announced": b"Content-Length: 99\r\n\r\nok",
    "one length twice": b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nok",
    "two lengths": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nok",
    "a length that is no number": b"Content-Length: two\r\n\r\nok",
    "a negative length": b"Content-Length: -1\r\n\r\n",
    "a length and chunks": b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "a header without a colon": b"Thanks\r\nContent-Length: 2\r\n\r\nok",
    "a header of 100,000 bytes": b"X-Long: " + b"x" * 100_000 + b"\r\nContent-Length: 0\r\n\r\n",
    "10,000 headers": b"".join(b"X-%d: x\r\n" % number for number in range(10_000)) + b"\r\n",
    "a second response": b"Content-Length: 0\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
    "bytes that are no HTTP": b"\x00\xff\x00\xff",
    "nothing": b"",
}
STATUSES: Final = (200, 204, 500)


@dataclass(frozen=True)
class Sent:
    """A response, and how it comes."""

    status: str
    follows: str
    comes: str
    talk: Callable[[asyncio.StreamWriter, "Passing"], Awaitable[None]]


class Passing:
    """Time as the receiver sees it: it passes when the receiver says so."""

    def __init__(self, loop: FrozenLoop) -> None:
        self._loop = loop

    async def pass_window(self) -> None:
        for _ in range(50):  # what was sent arrives first
            await asyncio.sleep(0)
        self._loop.now += 10.001


def _line(status: int) -> bytes:
    return b"HTTP/1.1 %d Told\r\n" % status


def _at_once(data: bytes) -> Callable[[asyncio.StreamWriter, Passing], Awaitable[None]]:
    async def talk(writer: asyncio.StreamWriter, _: Passing) -> None:
        writer.write(data)
        await writer.drain()
        writer.close()

    return talk


def _byte_by_byte(data: bytes) -> Callable[[asyncio.StreamWriter, Passing], Awaitable[None]]:
    async def talk(writer: asyncio.StreamWriter, _: Passing) -> None:
        for place in range(len(data)):
            writer.write(data[place : place + 1])
            await writer.drain()
            await asyncio.sleep(0)
        writer.close()

    return talk


def _then_silence(data: bytes) -> Callable[[asyncio.StreamWriter, Passing], Awaitable[None]]:
    async def talk(writer: asyncio.StreamWriter, passing: Passing) -> None:
        writer.write(data)
        await writer.drain()
        await passing.pass_window()
        await asyncio.Event().wait()

    return talk


def sent_responses() -> Iterator[Sent]:
    """Every response of the table: each framing under each status, then what comes slowly, torn or not at all."""
    for status, (follows, data) in product(STATUSES, FRAMINGS.items()):
        yield Sent(str(status), follows, "at once, then closed", _at_once(_line(status) + data))
    ok = "a body as long as announced"
    for status, follows in product(STATUSES, (ok, "two lengths")):
        yield Sent(str(status), follows, "byte by byte", _byte_by_byte(_line(status) + FRAMINGS[follows]))
    for status in STATUSES:
        line = _line(status)
        yield Sent(str(status), "half a header", "then silence past the window", _then_silence(line + b"Content-Le"))
        yield Sent(str(status), "nothing", "then silence past the window", _then_silence(line))
    yield Sent("200", "half a body", "then silence past the window", _then_silence(_line(200) + FRAMINGS[ok][:-1]))
    yield Sent("301", ok, "at once, then closed", _at_once(_line(301) + FRAMINGS[ok]))
    yield Sent("301", "two lengths", "at once, then closed", _at_once(_line(301) + FRAMINGS["two lengths"]))
    yield Sent("half of a 200", "nothing", "then closed", _at_once(b"HTTP/1.1 20"))
    yield Sent("half of a 200", "nothing", "then silence past the window", _then_silence(b"HTTP/1.1 20"))
    yield Sent("100, then 200", ok, "at once", _at_once(_line(100) + b"\r\n" + _line(200) + FRAMINGS[ok]))
    twice = _line(200) + FRAMINGS["two lengths"]
    yield Sent("100, then 200", "two lengths", "at once", _at_once(_line(100) + b"\r\n" + twice))
    yield Sent("200 of HTTP/1.0", ok, "at once", _at_once(b"HTTP/1.0 200 OK\r\n" + FRAMINGS[ok]))
    yield Sent("200 of HTTP/9.9", ok, "at once", _at_once(b"HTTP/9.9 200 OK\r\n" + FRAMINGS[ok]))
    yield Sent("200, lines end with LF", ok, "at once", _at_once(b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok"))
    yield Sent("2x0", ok, "at once", _at_once(b"HTTP/1.1 2x0 OK\r\n" + FRAMINGS[ok]))
    yield Sent("none", "nothing", "closed at once", _at_once(b""))
    yield Sent("none", "a mail server's greeting", "at once", _at_once(b"220 mail.example.com ESMTP\r\n"))


def attempt_result(sent: Sent) -> AttemptResult:
    """What one attempt makes of it."""

    async def scenario() -> AttemptResult:
        loop = asyncio.get_running_loop()
        passing = Passing(loop)  # type: ignore[arg-type]  # the loop that `run` was given

        async def talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await sent.talk(writer, passing)
            raise ConnectionError  # one answer a connection

        async with Receiver(talk) as receiver, sending() as sender:
            return await sender.send(request_to(receiver.url()))

    return run(scenario(), FrozenLoop)


def render_table() -> str:
    rows = []
    for sent in sent_responses():
        result = attempt_result(sent)
        outcome = "**acknowledged**" if result.has_succeeded else f"`{result.error}`"
        rows.append((sent.status, sent.follows, sent.comes, outcome, result.error_detail or ""))
    lines = (_HEAD, tuple("---" for _ in _HEAD), *rows)
    return "\n".join([BEGIN, *("| " + " | ".join(line) + " |" for line in lines), END])


def page_with_table(page: str) -> str:
    """docs/webhooks.md with the table made anew."""
    before, rest = page.split(BEGIN)
    return before + render_table() + rest.split(END)[1]
