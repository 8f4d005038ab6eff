"""`firm deliver` as an operator starts it, over the benchmarks' data root, and what has become of deliveries.

Does not belong here: the data root (`webhook_world`), receivers, measuring.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from api.database.models.webhooks import Attempt, Delivery, QueuedAttempt
from benchmarks.api_release import ROOT
from benchmarks.api_servers import Server
from benchmarks.webhook_receivers import Receivers
from benchmarks.webhook_world import World

_PATIENCE = 900.0
_LOOK_SECONDS = 0.02
_ALLOWED = {"FIRM_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8", "FIRM_WEBHOOK_ALLOW_HTTP": "true"}


class NotDelivered(RuntimeError):  # noqa: N818 - named for what it says
    """What was sent is not what should have been."""


@contextmanager
def delivering(world: World, log: Path) -> Iterator[Server]:
    """One worker process, fan-out included; it is told to end with the block."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FIRM_")}
    place = {"FIRM_DATA": str(world.layout.root), "FIRM_DATABASE_URL": world.database_url}
    command = [sys.executable, "-m", "firm", "deliver"]
    with log.open("ab") as told:
        process = subprocess.Popen(
            command, cwd=ROOT, env=kept | _ALLOWED | place, stdout=told, stderr=told, start_new_session=True
        )
        try:
            yield Server("deliver", 0, "", process.pid)
            if process.poll() is not None:
                raise NotDelivered(f"`firm deliver` ended early: {log.read_text(errors='replace')[-3000:]}")
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def arrived(receivers: Receivers, count: int, meanwhile: Callable[[int], None] = lambda _: None) -> None:
    """Waits until so many different (endpoint, event) have come; tells how many requests there were so far."""
    until = time.monotonic() + _PATIENCE
    while (told := receivers.ask("count"))["distinct"] < count:
        meanwhile(told["count"])
        if time.monotonic() > until:
            raise NotDelivered(f"{told} of {count:,} after {_PATIENCE:g} s")
        time.sleep(_LOOK_SECONDS)


def logged(world: World) -> float:
    """Waits until nothing is queued any more, so that every attempt is logged; the instant of that."""
    until = time.monotonic() + _PATIENCE
    while world.count(QueuedAttempt):
        if time.monotonic() > until:
            raise NotDelivered(f"{world.count(QueuedAttempt):,} attempts still queued after {_PATIENCE:g} s")
        time.sleep(_LOOK_SECONDS)
    return time.monotonic()


def check(world: World, count: int) -> int:
    """Every delivery succeeded and has its log; gives how many attempts were repeats."""
    succeeded = world.count(Delivery, Delivery.status == "succeeded")
    others = world.count(Delivery) - succeeded
    attempts = world.count(Attempt)
    if succeeded != count or others or attempts < count:
        raise NotDelivered(f"{succeeded:,} of {count:,} succeeded, {others:,} did not, {attempts:,} attempts")
    return attempts - count
