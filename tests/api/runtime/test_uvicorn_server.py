"""The service under uvicorn on loopback: keep-alive, HEAD, logs, a stop that finishes what runs."""

import asyncio
import json
import logging
import select
import socket
import threading
from urllib.parse import quote

import pytest

from api.common.ids import UlidGenerator
from api.observability.logging import JsonFormatter
from api.runtime.uvicorn_server import build_server, open_listener
from api.settings.service import ApiSettings
from warehouse.reader.reader import ReleaseReader


class Started:
    """A service under uvicorn in a thread of its own."""

    def __init__(self, app):
        self.server = build_server(app, ApiSettings(shutdown_seconds=20), port=0)
        ready, startup = threading.Event(), self.server.startup

        async def told(sockets=None):
            await startup(sockets)
            ready.set()

        self.server.startup = told  # type: ignore[method-assign]
        self.thread = threading.Thread(target=lambda: asyncio.run(self.server.serve()))
        self.thread.start()
        assert ready.wait(20)
        self.port = self.server.servers[0].sockets[0].getsockname()[1]

    def stop(self):
        self.server.should_exit = True
        self.thread.join(20)
        assert not self.thread.is_alive()


async def exchange(port, *requests):
    """Sends requests one after the other over one connection; gives the raw answers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answers = []
    for request in requests:
        writer.write(request)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
        length = int(dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:-2])[b"content-length"])
        body = b"" if request.startswith(b"HEAD") else await reader.readexactly(length)
        answers.append((head, body))
    writer.close()
    await writer.wait_closed()
    return answers


def asking(service, method, path):
    key = f"Authorization: Bearer {service.key}\r\n".encode()
    return method + b" " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + key + b"\r\n"


@pytest.mark.slow
def test_over_a_socket(serve, world):
    service = serve(world, with_client=False)
    running = Started(service.app)
    company = b"/api/v1/companies/5599999991"
    requests = [
        asking(service, b"GET", company),
        asking(service, b"HEAD", company),
        asking(service, b"GET", company),
        asking(service, b"GET", b"/nothing"),
    ]
    got, head, again, other = asyncio.run(exchange(running.port, *requests))
    running.stop()
    assert got[0].startswith(b"HTTP/1.1 200")
    assert got[1] == again[1]
    assert head[0].startswith(b"HTTP/1.1 200")
    assert b"content-length: %d" % len(got[1]) in head[0]
    assert other[0].startswith(b"HTTP/1.1 404")
    assert b"server:" not in got[0].lower()
    assert json.loads(other[1])["code"] == "route_not_found"


class Slow:
    """A reader that answers when it is told to."""

    def __init__(self, reader):
        self.reader, self.entered, self.leave = reader, threading.Event(), threading.Event()

    def pin_release(self):
        self.entered.set()
        assert self.leave.wait(20)
        return self.reader.pin_release()


@pytest.mark.slow
def test_a_stop_finishes_what_runs(serve, world):
    slow = Slow(ReleaseReader(world.layout))
    service = serve(world, slow, with_client=False)
    running, answers = Started(service.app), []
    request = asking(service, b"GET", b"/api/v1/companies?q=exempel")
    client = threading.Thread(target=lambda: answers.extend(asyncio.run(exchange(running.port, request))))
    client.start()
    assert slow.entered.wait(20)
    running.server.should_exit = True
    while running.server.servers[0].is_serving():  # ends when new connections are refused
        running.thread.join(0.01)
    slow.leave.set()
    client.join(20)
    running.stop()
    assert answers[0][0].startswith(b"HTTP/1.1 200")


def test_log_lines_are_json_without_keys():
    key = "firm_live_" + "a" * 42
    record = logging.LogRecord("firm.api", logging.WARNING, "", 1, "key %s was seen", (key,), None)
    line = json.loads(JsonFormatter().format(record))
    assert line["message"] == "key firm_live_[redacted] was seen"
    assert (line["level"], line["event"]) == ("warning", "firm.api")
    assert "request_id" not in line


@pytest.mark.parametrize("spell", [str, lambda text: quote(text, safe="")], ids=["plain", "escaped"])
def test_log_lines_hold_no_webhook_secret(spell):
    secret = spell("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBk+Gxwd/h8=")
    record = logging.LogRecord("firm.api", logging.WARNING, "", 1, "at /x/%s, whsec_…Hh8=", (secret,), None)
    line = json.loads(JsonFormatter().format(record))
    assert line["message"] == "at /x/whsec_[redacted], whsec_…Hh8="


def test_ids_are_sortable_and_as_long_as_promised():
    wall = [1_795_147_931.123]
    made = UlidGenerator(lambda: wall[0], lambda bits: (1 << bits) - 1)
    first = made.make("req")
    milliseconds = 0
    for character in first[4:14]:
        milliseconds = milliseconds * 32 + "0123456789abcdefghjkmnpqrstvwxyz".index(character)
    assert (milliseconds, first[14:]) == (1_795_147_931_123, "z" * 16)
    assert len(first) == 30
    wall[0] += 1
    assert made.make("req") > first
    assert UlidGenerator(lambda: 0.0, lambda _: 0).make("acc") == "acc_" + "0" * 26


def test_a_client_that_reads_nothing_fills_little_of_the_kernel() -> None:
    """What a client asks for and leaves lies in the service, which closes it after FIRM_WRITE_SECONDS."""
    taken = 0
    with (
        open_listener(ApiSettings(port=0)) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as accepted,
    ):
        accepted.setblocking(False)
        while select.select([], [accepted], [], 0.1)[1]:
            taken += accepted.send(bytes(1 << 18))
    assert taken < 1 << 19  # 3.9 MB by the kernel's own choice
