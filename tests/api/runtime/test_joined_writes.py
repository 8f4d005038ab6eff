"""What a protocol writes in one turn of the event loop is written at once; the last test fails when uvicorn calls more."""

import asyncio
import inspect
import re
from typing import Any

from uvicorn.protocols import utils
from uvicorn.protocols.http import flow_control, httptools_impl
from uvicorn.server import ServerState

from api.runtime.joined_writes import JoinedWrites
from api.runtime.uvicorn_server import build_server
from api.settings.service import ApiSettings
from tests.api.runtime.test_http_protocol import GET, echo


class Recording(asyncio.Transport):
    """A transport that keeps every write, and the end."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.ended = ""
        self.is_written = asyncio.Event()

    def write(self, data: Any) -> None:
        self.writelines([data])

    def writelines(self, list_of_data: Any) -> None:
        self.writes.append(b"".join(list_of_data))
        self.is_written.set()

    def get_write_buffer_size(self) -> int:
        return 5

    def is_closing(self) -> bool:
        return bool(self.ended)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def resume_reading(self) -> None: ...

    def close(self) -> None:
        self.ended = "closed"

    def abort(self) -> None:
        self.ended = "aborted"

    def write_eof(self) -> None:
        self.writes.append(b"<end>")


def written(*steps: str) -> tuple[list[bytes], str]:
    """The writes that reach the transport below, and how it ended; a step `|` waits for the next turn of the loop."""

    async def play() -> tuple[list[bytes], str]:
        below = Recording()
        joined = JoinedWrites(below, asyncio.get_running_loop())
        for step in steps:
            if step == "|":
                await asyncio.sleep(0)
            elif step.startswith("."):
                getattr(joined, step[1:])()
            else:
                joined.write(step.encode())
        await asyncio.sleep(0)
        return below.writes, below.ended

    return asyncio.run(play())


def test_writes_of_one_turn_are_one() -> None:
    assert written("head", "body") == ([b"headbody"], "")
    assert written("head", "|", "body") == ([b"head", b"body"], "")
    assert written("head", ".flush", "body") == ([b"head", b"body"], "")


def test_what_was_written_precedes_the_end() -> None:
    assert written("head", "body", ".close") == ([b"headbody"], "closed")
    assert written("head", ".write_eof") == ([b"head", b"<end>"], "")


def test_nothing_is_written_after_the_end() -> None:
    assert written(".close", "late") == ([], "closed")
    assert written("head", ".abort", "late") == ([], "aborted")


def test_a_large_write_does_not_wait() -> None:
    below = Recording()

    async def play() -> list[int]:
        joined = JoinedWrites(below, asyncio.get_running_loop())
        joined.write(b"x" * 65_535)
        waiting = joined.get_write_buffer_size()
        joined.write(b"x")
        return [waiting, joined.get_write_buffer_size(), *map(len, below.writes)]

    assert asyncio.run(play()) == [65_540, 5, 65_536]


def test_a_response_is_one_write() -> None:
    below = Recording()

    async def play() -> None:
        config = build_server(echo, ApiSettings(), port=0).config
        config.load()
        protocol = config.http_protocol_class(config=config, server_state=ServerState(), app_state={})  # type: ignore[call-arg, operator]
        protocol.connection_made(below)
        protocol.data_received(GET + b"\r\n")
        await below.is_written.wait()
        protocol.connection_lost(None)

    asyncio.run(play())
    [response] = below.writes
    head, _, body = response.partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}".encode() in head
    assert body.startswith(b'{"length"')


def test_what_uvicorn_calls_is_there() -> None:
    """Its upgrade to WebSocket alone calls more; this service has none."""
    source = "".join(map(inspect.getsource, (httptools_impl, flow_control, utils)))
    called = {*re.findall(r"\btransport\.([a-z_]+)", source)} - {"set_protocol"}
    assert called >= {"write", "close", "is_closing"}
    assert called <= vars(JoinedWrites).keys()
