"""What acknowledges a delivery, to the millisecond, through the whole engine and over real HTTP.

See docs/contract/contract.md 4.7.

Time is the event loop's own and virtual: where nothing moves on any socket, the loop goes on to its next timer. So
ten seconds pass in none, and 9.999 s and 10.001 s are told apart on any machine.
"""

import asyncio
import selectors
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from api.common.clock import Clock
from tests.api.fixtures.delivery_engine import LOCAL, NOON, Control, Running, controlled, exhaust, receiver, sender

pytestmark = pytest.mark.anyio
_PATIENCE = 0.05  # real seconds in which what was written to a socket of this process has come


class _Selector(selectors.SelectSelector):
    """Waits for sockets a moment, then says so and lets time go on."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        ready = super().select(_PATIENCE)
        if not ready:
            self.passed += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.selector = _Selector()
        super().__init__(self.selector)

    def time(self) -> float:
        return 1_000.0 + self.selector.passed


class Virtual(Running):
    """The loop's time as the worker's clock."""

    def __init__(self) -> None:
        time = asyncio.get_running_loop().time
        self.clock = Clock(wall=lambda: NOON.timestamp() + time() - 1_000, monotonic=time)


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": _Loop}


@pytest.fixture
async def control(tmp_path: Path) -> AsyncIterator[Control]:
    async with controlled(f"sqlite:///{tmp_path}/control.sqlite", Virtual()) as made:
        yield made


async def attempted(control: Control, handle: Any) -> Any:
    """The log of one attempt at an endpoint that answers so."""
    settings = {"allow_networks": LOCAL, "allow_http": True}
    async with receiver(handle) as url:
        lane = control.subscribe(f"{url}?key=1")
        [delivery] = control.deliver(lane)
        worker = control.worker(sender(control.hands.clock), **settings)
        others = asyncio.all_tasks()
        await worker.tick()
        await asyncio.wait(asyncio.all_tasks() - others)  # the attempt, which the tick began
        await worker.tick()
        await exhaust(worker)
    [made] = control.attempts(delivery)
    assert control.delivery(delivery).status == ("succeeded" if made.outcome == "succeeded" else "retrying")
    return made


@pytest.mark.parametrize(
    ("seconds", "expected", "error", "took"),
    [
        pytest.param(9.999, "succeeded", None, 9_999, id="9_999s_success"),
        pytest.param(10.001, "failed", "timeout", 10_000, id="10_001s_failure"),
    ],
)
async def test_9_999s_success_10_001s_failure(
    control: Control, seconds: float, expected: str, error: str | None, took: int
) -> None:
    async def answer(_: web.Request) -> web.Response:
        await asyncio.sleep(seconds)
        return web.Response(status=204)

    made = await attempted(control, answer)
    assert (made.outcome, made.error) == (expected, error)
    assert abs(made.duration_ms - took) <= 1


async def test_headers_in_time_body_dripping(control: Control) -> None:
    """The status line and headers decide; a body that never ends holds nobody longer than the window."""

    async def drip(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(status=200)
        await asyncio.sleep(9)
        await answer.prepare(request)
        for _ in range(100):
            await answer.write(b"drop ")
            await asyncio.sleep(0.4)
        return answer

    started = control.hands.at
    made = await attempted(control, drip)
    assert (made.outcome, made.response_status) == ("succeeded", 200)
    assert abs(made.duration_ms - 9_000) <= 1
    assert made.response_body_truncated
    assert made.response_body.startswith("drop ")
    assert control.rows(type(made))[0].started_at == NOON
    assert control.hands.at - started < 60_000


@pytest.mark.parametrize("status", [200, 202, 204, 299])
async def test_204_and_299_ack(control: Control, status: int) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status)

    made = await attempted(control, answer)
    assert (made.outcome, made.error, made.response_status) == ("succeeded", None, status)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_301_307_not_followed(control: Control, status: int) -> None:
    asked = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=status, headers={"Location": "/elsewhere"})

    made = await attempted(control, answer)
    assert (made.outcome, made.error, made.response_status) == ("failed", "redirect", status)
    assert asked == ["/hook"]


@pytest.mark.parametrize("status", [400, 404, 410, 429, 500, 503])
async def test_any_other_status_is_a_failure(control: Control, status: int) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text="no")

    made = await attempted(control, answer)
    assert (made.outcome, made.error, made.response_status) == ("failed", "http_status", status)
    assert made.response_body == "no"
    assert made.request_url.endswith("/hook"), "without its query"
