"""A receiver on the loopback interface that verifies what it gets, and `firm` told that it may deliver there."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.answering import Quiet, answering
from tests.firm.conftest import Firm
from tests.forked import RunningFirm, start_firm

PATIENCE = 60


@dataclass
class Received:
    """What came, by its event's id; `refused` holds what was not signed by the secret."""

    secret: str = ""
    url: str = ""
    events: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    refused: list[bytes] = field(default_factory=list)

    def take(self, headers: Any, body: bytes) -> int:
        signed = "sha256=" + hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(signed, headers.get("X-Service-Signature", "")):
            self.refused.append(body)
            return 401
        event = json.loads(body)
        self.events.setdefault(event["event_id"], []).append(event)
        return 204


@contextmanager
def receiver(received: Received | None = None) -> Iterator[Received]:
    """One that runs until the block ends; its secret is set once it is known."""
    made = received or Received()

    class Handler(Quiet):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:  # noqa: N802 -- the library's
            self.send_whole(made.take(self.headers, self.read_body()), b"")

    with answering(Handler) as url:
        made.url = f"{url}/hooks"
        yield made


@dataclass(frozen=True)
class Hooked(Firm):
    """`firm` whose deliveries may go to this machine."""

    more: tuple[tuple[str, str], ...] = ()

    @property
    def environment(self) -> dict[str, str]:
        allowed = {"FIRM_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8", "FIRM_WEBHOOK_ALLOW_HTTP": "true"}
        return {**Firm.environment.fget(self), **allowed, **dict(self.more)}  # type: ignore[misc]

    @contextmanager
    def delivering(self, *options: str) -> Iterator[RunningFirm]:
        """A running `firm deliver`."""
        process = start_firm(["deliver", *options], self.environment)
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


def until(condition: Callable[[], object], what: str) -> None:
    """Waits for a condition; says what did not come."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)
