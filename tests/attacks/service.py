"""A `firm serve` of its own over the sandbox's world, with two accounts: the attacker's and the bystander's."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
HOST: Final = "127.0.0.1"
PATIENCE_SECONDS: Final = 120.0
LIMITED: Final = """
[tiers.business]
monthly_requests = 1000000000
[clients]
failed_authentications_per_second = 1000
"""  # the bursts are the contract's; attacker and bystander have one address
UNLIMITED: Final = """
[tiers.business]
monthly_requests = 1000000000
burst_per_second = 1000000
burst_capacity = 1000000
subscriptions = 100000
[clients]
failed_authentications_per_second = 1000000
"""


@dataclass(frozen=True)
class Target:
    """A running service: where it is, the keys of both accounts, and a company that it serves."""

    port: int
    process_id: int
    key: str
    bystander_key: str
    company: str

    def worker_ids(self) -> list[int]:
        """Processes that the service forked; empty if it serves in one process."""
        children = Path(f"/proc/{self.process_id}/task/{self.process_id}/children").read_text(encoding="ascii")
        return [int(one) for one in children.split()]

    def memory_bytes(self) -> int:
        """Memory of all processes, shared pages once."""
        return sum(_proportional_bytes(one) for one in (self.process_id, *self.worker_ids()))


def make_world(folder: Path) -> Path:
    """The data folder of a small generated world, ingested."""
    _firm(_environment(folder), "demo", "--no-serve", "--companies", "300", "--days", "2")
    return folder / "demo"


@contextmanager
def serving(data: Path, log: Path, workers: int = 1, is_limited: bool = True) -> Iterator[Target]:
    """Runs the service over a data folder; `log` holds its lines. `is_limited`: by the bursts of a tier."""
    tiers = log.with_name("tiers.toml")
    tiers.write_text(LIMITED if is_limited else UNLIMITED, encoding="utf-8")
    environment = _environment(data) | {"FIRM_TIERS": str(tiers), "FIRM_DELIVER": "false"}
    keys = [_key(environment, f"{name}@example.com") for name in ("attacker", "bystander")]
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "firm", "serve", "--port", str(port), "--workers", str(workers)]
    with log.open("wb") as file:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=file, stderr=file)
    try:
        _wait_until_ready(process, port, log)
        company = json.loads(_get(port, "/api/v1/companies?limit=1", keys[1]))["data"][0]["org_number"]
        yield Target(port, process.pid, *keys, company)
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def _environment(data: Path) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("FIRM_")} | {
        "FIRM_DATA": str(data)
    }


def _firm(environment: dict[str, str], *words: str) -> str:
    command = [sys.executable, "-m", "firm", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def _key(environment: dict[str, str], email: str) -> str:
    command = [sys.executable, "-m", "firm", "accounts", "create", "--email", email, "--tier", "business"]
    subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)  # it may be there from before
    return str(json.loads(_firm(environment, "keys", "create", "--account", email, "--kind", "live", "--json"))["key"])


def _get(port: int, path: str, key: str) -> bytes:
    connection = http.client.HTTPConnection(HOST, port, timeout=PATIENCE_SECONDS)
    connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
    answer = connection.getresponse().read()
    connection.close()
    return answer


def _wait_until_ready(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"the service does not listen:\n{log.read_text(errors='replace')[-3000:]}")


def _proportional_bytes(process_id: int) -> int:
    for line in Path(f"/proc/{process_id}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0
