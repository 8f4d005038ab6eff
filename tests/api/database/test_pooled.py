"""The control plane behind a pooler as PgBouncer, which answers for the server and may change it."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress

import pytest
from sqlalchemy import make_url, text

from api.database.engine import Database

_HEAD = struct.Struct("!cI")
_KEY = b"K"  # BackendKeyData: the process that answers, and the secret by which a query is cancelled


def received(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        if not (more := connection.recv(count - len(found))):
            raise ConnectionError
        found += more
    return found


def pass_on(source: socket.socket, target: socket.socket, *, is_server: bool) -> None:
    """Passes on everything; of the server's first messages, the id of its process is the pooler's own."""
    with suppress(OSError):
        while is_server:
            kind, length = _HEAD.unpack(head := received(source, _HEAD.size))
            body = received(source, length - 4)
            target.sendall(head + (struct.pack("!I", 1) + body[4:] if kind == _KEY else body))
            is_server = kind != _KEY
        while more := source.recv(1 << 16):
            target.sendall(more)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@pytest.fixture
def pooled(postgresql: Callable[[], str]) -> Iterator[str]:
    """The address of a database behind such a pooler."""
    url = make_url(postgresql())
    folder = str(url.query["host"])
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(f"{folder}/.s.PGSQL.{url.query.get('port', 5432)}")
                for source, target, is_server in ((client, server, False), (server, client, True)):
                    threading.Thread(
                        target=pass_on, args=(source, target), kwargs={"is_server": is_server}, daemon=True
                    ).start()

    threading.Thread(target=serve, daemon=True).start()
    port = listener.getsockname()[1]
    yield str(url.set(host="127.0.0.1", port=port, query={"sslmode": "disable", "gssencmode": "disable"}))
    listener.close()


def prepared_statements(url: str) -> int:
    """How many statements the server has prepared for a connection that repeats one of ours."""
    with closing(Database(url)) as database, database.reading() as session:
        for number in range(20):
            session.execute(text("SELECT :number + 1"), {"number": number})
        return session.execute(text("SELECT count(*) FROM pg_prepared_statements")).scalar_one()


def test_no_statement_is_prepared_behind_a_pooler(pooled: str) -> None:
    assert prepared_statements(pooled) == 0


def test_statements_that_repeat_are_prepared_on_the_server_itself(postgresql: Callable[[], str]) -> None:
    assert prepared_statements(postgresql()) > 0
