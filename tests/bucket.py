"""An object store of the tests' own: moto's S3 over HTTP on this machine, behind a proxy that fails on demand."""

from __future__ import annotations

import http.client
import itertools
import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.answering import Quiet
from warehouse.replication.settings import StoreAddress, StoreSettings

_KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-north-1"}
_SIGNED = {  # who asks; moto does not compute it
    "Authorization": "AWS4-HMAC-SHA256 Credential=key/20261101/eu-north-1/s3/aws4_request, SignedHeaders=host, Signature=0"
}
_ONE_AT_A_TIME = threading.Lock()
_NOT_PASSED_ON = {"content-length", "transfer-encoding", "connection", "date", "server"}


@dataclass
class Fault:
    """What happens to requests whose `METHOD /path` a pattern finds, so many times after letting some through.

    503: refused. cut: half of the answer. lost: done, and the answer never comes. before: something happens first. careless:
    without its conditions.
    """

    kind: str
    pattern: str
    times: int = 1
    after: int = 0
    do: Callable[[], object] | None = None
    met: int = 0

    def meets(self, line: str) -> bool:
        if re.search(self.pattern, line) is None:
            return False
        self.met += 1
        return self.after < self.met <= self.after + self.times


@dataclass
class Bucket:
    """One bucket behind the proxy. `asked`: every request, as `METHOD /path`; `ranges`: bytes asked for, by key."""

    name: str
    endpoint: str
    direct: tuple[str, int]
    faults: list[Fault] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    ranges: dict[str, list[str]] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return {"FIRM_OBJECT_STORE": f"s3://{self.name}/firm", "AWS_ENDPOINT_URL": self.endpoint, **_KEYS}

    @property
    def address(self) -> StoreAddress:
        found = StoreSettings.read(self.environment).address
        assert found is not None
        return found

    def call(self, method: str, key: str, body: bytes = b"") -> tuple[int, bytes]:
        """Asks the store itself, past the proxy."""
        connection = http.client.HTTPConnection(*self.direct, timeout=10)
        try:
            connection.request(method, f"/{self.name}/firm/{key}", body, _SIGNED)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def listed(self) -> list[str]:
        connection = http.client.HTTPConnection(*self.direct, timeout=10)
        try:
            connection.request("GET", f"/{self.name}?list-type=2&max-keys=1000", headers=_SIGNED)
            return re.findall(r"<Key>firm/([^<]+)</Key>", connection.getresponse().read().decode())
        finally:
            connection.close()


class _Proxy(Quiet):
    """Hands requests on to moto, unless a fault of the bucket says otherwise.

    One at a time: S3 decides a conditional write atomically, moto checks and writes in two steps, and its threads read
    one buffer of an object together.
    """

    protocol_version = "HTTP/1.1"
    direct: tuple[str, int]
    buckets: dict[str, Bucket]

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        bucket = self.buckets[self.path.split("/")[1].partition("?")[0]]
        line = f"{self.command} {self.path}"
        bucket.asked.append(line)
        if wanted := self.headers.get("Range"):
            bucket.ranges.setdefault(self.path.partition("/firm/")[2], []).append(wanted)
        fault = next((fault for fault in bucket.faults if fault.meets(line)), None)
        kind = "none" if fault is None else fault.kind
        if fault is not None and fault.do is not None:
            fault.do()
        if kind == "503":
            self.send_whole(503, b"<Error><Code>SlowDown</Code></Error>")
            return
        if kind == "careless":
            del self.headers["If-None-Match"], self.headers["If-Match"]
        with _ONE_AT_A_TIME:
            answer = self._asked_of_moto(body)
        if kind == "lost":
            self.close_connection = True
            self.connection.close()
        else:
            self._hand_back(*answer, is_cut=kind == "cut")

    def _hand_back(self, status: int, headers: list[tuple[str, str]], content: bytes, *, is_cut: bool) -> None:
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        length = len(content)
        if self.command == "HEAD":
            length = int(next((value for name, value in headers if name == "x-head-length"), "0"))
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[: length // 2] if is_cut else content)
        self.close_connection = self.close_connection or is_cut

    def _asked_of_moto(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(*self.direct, timeout=30)
        try:
            connection.request(self.command, self.path, body, dict(self.headers.items()))
            answer = connection.getresponse()
            headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in _NOT_PASSED_ON]
            if self.command == "HEAD":
                headers.append(("x-head-length", answer.getheader("Content-Length") or "0"))
            return answer.status, headers, answer.read()
        finally:
            connection.close()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _pass_on  # noqa: N815 - the library's names


@contextmanager
def object_store() -> Iterator[Callable[[], Bucket]]:
    """A store for the length of a block; makes buckets that are new and empty."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    moto = pytest.importorskip("moto.server", reason="no object store can be started here")
    server: Any = moto.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    direct = server.get_host_and_port()
    buckets: dict[str, Bucket] = {}
    handler: type[BaseHTTPRequestHandler] = type("Proxy", (_Proxy,), {"direct": direct, "buckets": buckets})
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    numbers = itertools.count(1)

    def make() -> Bucket:
        made = Bucket(f"firm-{next(numbers)}", f"http://127.0.0.1:{proxy.server_port}", direct)
        buckets[made.name] = made
        connection = http.client.HTTPConnection(*direct, timeout=60)  # its first request loads what it needs
        connection.request("PUT", f"/{made.name}", headers={"Host": f"{direct[0]}:{direct[1]}"})
        assert connection.getresponse().status == 200
        connection.close()
        return made

    try:
        yield make
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()
        server.stop()
