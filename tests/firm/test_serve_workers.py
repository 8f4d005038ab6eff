"""Several workers behind one socket: a death, an end, and numbers that are everybody's."""

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.firm.conftest import Firm, wait_until_ready
from tests.forked import start_firm

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc to find the workers"),
]
WORKERS = 2
PATIENCE = 30
COUNTED = "/api/v1/companies/12ab"  # 400 without looking at any release; counts as a request
CLIENTS = 4


class Served:
    """A running `firm serve --workers 2`."""

    def __init__(self, firm: Firm, key: str, port: int, log: Path) -> None:
        self.key = key
        self.base = f"http://127.0.0.1:{port}"
        self.log = log
        with log.open("wb") as file:
            self.process = start_firm(
                ["serve", "--port", str(port), "--workers", str(WORKERS)],
                firm.environment | {"FIRM_ACCESS_LOG": "true"},
                stdout=file.fileno(),
                stderr=file.fileno(),
            )

    @property
    def workers(self) -> list[int]:
        pid = self.process.pid
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def get(self, path: str = COUNTED) -> httpx.Response:
        """Over a connection of its own, so that any worker may be met."""
        return httpx.get(self.base + path, headers={"Authorization": f"Bearer {self.key}"}, trust_env=False)

    def number(self, name: str) -> float:
        """A number of /metrics, its labels left aside."""
        found = [line for line in self.get("/metrics").text.splitlines() if line.startswith(name)]
        return sum(float(line.rpartition(" ")[2]) for line in found)


def until(true: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"not within {PATIENCE} s: {what}"
        time.sleep(0.02)


def ended(pid: int) -> bool:
    """Whether a process is gone, or nothing but its exit code is left of it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@contextmanager
def serving(firm: Firm, key: str, folder: Path) -> Iterator[Served]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    served = Served(firm, key, port, folder / "served.log")
    workers: list[int] = []
    try:
        with httpx.Client(base_url=served.base, timeout=PATIENCE, trust_env=False) as client:
            wait_until_ready(client, served.process)
        until(lambda: len(served.workers) == WORKERS, "the workers are there")
        workers = served.workers
        yield served
    finally:
        workers += served.workers if served.process.poll() is None else []
        served.process.kill()
        served.process.wait()
        until(lambda: all(ended(pid) for pid in workers), "the workers have ended")


class Callers:
    """Threads that ask one request after the other until they are told to stop."""

    def __init__(self, served: Served) -> None:
        self.served, self.answered, self.failed = served, 0, 0
        self.stop, self.lock = threading.Event(), threading.Lock()
        self.threads = [threading.Thread(target=self._ask) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def _ask(self) -> None:
        while not self.stop.is_set():
            try:
                answer = self.served.get()
            except httpx.TransportError:
                with self.lock:
                    self.failed += 1
                continue
            assert answer.status_code in (400, 429), answer.text
            with self.lock:
                self.answered += 1

    def have_answers(self, more: int) -> None:
        wanted = self.answered + more
        until(lambda: self.answered >= wanted, f"{more} more answers")

    def end(self) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join()


def test_a_killed_worker_is_replaced_and_the_end_loses_nothing(firm: Firm, tmp_path: Path) -> None:
    with serving(firm, firm.key(), tmp_path) as served:
        assert len(list(Path(f"/proc/{served.process.pid}/task").iterdir())) == 1  # safe to fork from
        callers = Callers(served)
        callers.have_answers(40)
        before = served.workers
        os.kill(before[0], signal.SIGKILL)
        callers.have_answers(40)
        until(lambda: len(set(served.workers) - set(before)) == 1, "another worker")
        callers.have_answers(40)
        callers.end()
        assert callers.failed <= CLIENTS  # what the dead one was answering, and nothing else

        asked = served.get().status_code in (400, 429)
        assert asked
        until(lambda: served.number("firm_worker_starts_total") == WORKERS + 1, "all starts are told")
        assert before[1] in served.workers
        # the numbers of the dead one are still there, all but those of its last second
        counted = 'firm_http_requests_total{method="GET",route="/api/v1/companies/{org_number}"'
        until(lambda: served.number(counted) >= 80, "what was answered since the kill is told")
        assert served.number(counted) <= callers.answered + callers.failed + 1

        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(PATIENCE) == 0
        lines = served.lines()
    requests = [line for line in lines if line["event"] == "request" and line["path"] == COUNTED]
    assert all(line["client"] == "127.0.0.1" for line in requests)
    # all was written at the end but what the killed one had gathered for a quarter of a second
    assert callers.answered // 2 < len(requests) <= callers.answered + callers.failed + 1
    messages = [str(line.get("message", "")) for line in lines]
    assert sum("by SIGKILL; a new one is started" in message for message in messages) == 1
    assert messages[-1] == "stopped"
    assert served.key not in served.log.read_text()


def test_every_request_is_logged_and_counted_when_it_is_told_to_end(firm: Firm, tmp_path: Path) -> None:
    key = firm.key()
    with serving(firm, key, tmp_path) as served:
        statuses = [served.get().status_code for _ in range(30)]
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(PATIENCE) == 0
        written = [line for line in served.lines() if line.get("path") == COUNTED]
    assert sorted(line["status"] for line in written) == sorted(statuses)
    with serving(firm, key, tmp_path) as served:
        usage = served.get("/api/v1/usage").json()
        assert usage["requests_used"] == statuses.count(400)


def test_workers_do_not_outlive_a_killed_supervisor(firm: Firm, tmp_path: Path) -> None:
    with serving(firm, firm.key(), tmp_path) as served:
        workers = served.workers
        served.process.kill()
        served.process.wait()
        until(lambda: all(ended(pid) for pid in workers), "the workers have ended")
        with pytest.raises(httpx.ConnectError):
            served.get()
