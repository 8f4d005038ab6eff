"""A service that breaks its word: the genuine one, with some answers spoilt on the way.

Does not belong here: who notices (`test_collections_run`).
"""

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from tests.answering import Quiet, answering

NOT_OURS = {"host", "connection", "content-length", "transfer-encoding", "date", "server", "accept-encoding"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def told(self, change: Callable[[Any], object]) -> "Answer":
        """With its JSON changed."""
        value = json.loads(self.body)
        change(value)
        return replace(self, body=json.dumps(value).encode())

    def without(self, header: str) -> "Answer":
        return replace(self, headers={name: text for name, text in self.headers.items() if name != header})


Spoil = Callable[[Answer], Answer]


@contextmanager
def broken(base: str, spoilt: dict[tuple[str, str], Spoil]) -> Iterator[str]:
    """The address of the spoilt service; `spoilt` by method and the end of the path with its query."""
    origin = urlsplit(base)

    class Handler(Quiet):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.read_body()
            asked = {name: text for name, text in self.headers.items() if name.lower() not in NOT_OURS}
            connection = http.client.HTTPConnection(origin.hostname or "", origin.port, timeout=30)
            connection.request(self.command, self.path, body or None, asked)
            got = connection.getresponse()
            headers = {name.lower(): text for name, text in got.headers.items()}
            answer = Answer(got.status, headers, got.read())
            connection.close()
            for (method, end), spoil in spoilt.items():
                if method == self.command and self.path.endswith(end):
                    answer = spoil(answer)
            self.send_response(answer.status)
            for name, text in answer.headers.items():
                if name not in NOT_OURS:
                    self.send_header(name, text)
            if answer.status not in (204, 304):
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward  # noqa: N815 -- the library's names

    with answering(Handler) as url:
        yield url
