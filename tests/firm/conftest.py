"""The command line and the service as a user has them: processes, a data folder, HTTP on the loopback interface."""

import os
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.firm.inside import Inside
from tests.forked import RunningFirm, start_firm

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 60
FOLLOW_SECONDS = 30
LONG_SERIES = frozenset(
    f"test_{name}.py"
    for name in ("faults", "finland_http", "firm_kills", "first_loads", "live", "norway_feeds", "sweden_world")
)
ONE_IN = 6


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of long series of damage and kills one case in six is played; all of them where FIRM_TESTS is `full`."""
    if os.environ.get("FIRM_TESTS") == "full":
        return
    met: Counter[str] = Counter()
    left_out: list[pytest.Item] = []
    for item in items:
        if item.path.name in LONG_SERIES and "[" in item.name:
            series = item.nodeid.partition("[")[0]
            if met[series] % ONE_IN:
                left_out.append(item)
            met[series] += 1
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


@dataclass(frozen=True)
class Firm:
    """`firm` over one data folder."""

    data: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FIRM_")}
        return {
            **kept,
            "FIRM_DATA": str(self.data),
            "FIRM_ACCESS_LOG": "false",
            "FIRM_WORKERS": "1",
            "FIRM_TIERS": str(self._tiers()),
        }

    def _tiers(self) -> Path:
        """A test reads a whole world at once; limits have tests of their own."""
        path = self.data.with_name("tiers.toml")
        path.write_text("[tiers.business]\nburst_per_second = 100000\nburst_capacity = 100000\n")
        return path

    def run(self, *arguments: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        running = start_firm(arguments, self.environment)
        out, err = running.communicate(timeout=300)
        done = subprocess.CompletedProcess(["firm", *map(str, arguments)], running.wait(), out, err)
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    def ingest(self, folder: Path, *markets: str, exit_code: int = 0) -> dict[str, Any]:
        """In the tests' own process; `run("ingest", …)` is one of its own."""
        return Inside(self.data).ingest(folder, *markets, exit_code=exit_code).report

    def key(self) -> str:
        """A key of an account that limits leave alone."""
        inside = Inside(self.data)
        account = ("--email", "reader@example.com", "--tier", "business")
        assert inside.run("accounts", "create", *account, FIRM_TIERS=str(self._tiers())).exit_code == 0
        made = inside.run("keys", "create", "--account", "reader@example.com", "--kind", "live", "--json")
        return made.report["key"]

    @contextmanager
    def serving(self) -> Iterator[httpx.Client]:
        """A running `firm serve` and a client with a key of it."""
        key = self.key()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        service = start_firm(["serve", "--port", str(port)], self.environment)
        try:
            base = f"http://127.0.0.1:{port}"
            transport = httpx.HTTPTransport(retries=0)
            with httpx.Client(
                base_url=base,
                headers={"Authorization": f"Bearer {key}"},
                transport=transport,
                timeout=30,
                trust_env=False,
            ) as client:
                wait_until_ready(client, service)
                yield client
        finally:
            service.terminate()
            _, said = service.communicate(timeout=30)
            assert "Traceback" not in said, said


def wait_until_ready(client: httpx.Client, service: subprocess.Popen[str] | RunningFirm) -> None:
    """Wait for the socket by connecting to it; a service that ended says why."""
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until:
        if service.poll() is not None:
            raise AssertionError(service.stderr.read() if service.stderr else "ended")
        try:
            client.get("/healthz")
        except httpx.ConnectError:
            time.sleep(0.05)
            continue
        return
    raise AssertionError("the service did not come up")


def of_release(client: httpx.Client, number: str) -> httpx.Response:
    """The first answer of a release; the service looks for new ones several times a second."""
    until = time.monotonic() + FOLLOW_SECONDS
    while time.monotonic() < until:
        answer = client.get("/api/v1/companies?limit=100")
        if answer.headers["Firm-Release"] == number:
            return answer
        time.sleep(0.02)
    raise AssertionError(f"release {number} is not served after {FOLLOW_SECONDS} s")


@pytest.fixture(scope="module", autouse=True)
def without_waiting_for_the_disk() -> Iterator[None]:
    """What this process writes is not flushed: a killed process loses nothing by it, and no test cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def firm(tmp_path: Path) -> Firm:
    return Firm(tmp_path / "data")
