"""A machine that ingests, machines that serve and machines that deliver, each with a data folder of its own.

They are processes; what they share is PostgreSQL and an object store.
"""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from sandbox import World, write_days
from tests.bucket import Bucket, Fault
from tests.firm.hooked import Received, receiver
from tests.firm.inside import Inside
from tests.forked import RunningFirm, start_firm
from tests.warehouse.world import learn, member, publish
from warehouse.ledger.ledger import Ledger
from warehouse.release.manifest import manifest_digest

ROOT = Path(__file__).resolve().parents[2]
PATH = "/api/v1/companies?limit=1"
PATIENCE = 200.0


def _until(what: Callable[[], bool], otherwise: str) -> None:
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, otherwise
        time.sleep(0.05)


@dataclass
class Machines:
    """What all share, and the processes by name."""

    folder: Path
    environment: dict[str, str]
    running: dict[str, RunningFirm] = field(default_factory=dict)

    @property
    def writer(self) -> Inside:
        return Inside(self.folder / "writer")

    def run(self, *arguments: str | Path) -> Any:
        said = self.writer.run(*arguments, **self.environment)
        assert said.exit_code == 0, said.out + said.err
        return said

    def start(self, name: str, *command: str) -> None:
        data = {"FIRM_DATA": str(self.folder / name), "PYTHONPATH": str(ROOT)}
        with (self.folder / f"{name}.log").open("wb") as log:
            environment = {**os.environ, **self.environment, **data}
            self.running[name] = start_firm(command, environment, stdout=log.fileno(), stderr=log.fileno())

    def serve(self, name: str) -> str:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.start(name, "serve", "--port", str(port))
        return f"http://127.0.0.1:{port}"

    def end(self, name: str, number: signal.Signals = signal.SIGTERM) -> int:
        process = self.running.pop(name)
        process.send_signal(number)
        return process.wait(60)


def _status(base: str) -> int:
    """What its balancer would see; 0 where nobody listens yet."""
    try:
        return httpx.get(f"{base}/readyz", timeout=10, trust_env=False).status_code
    except httpx.ConnectError:
        return 0


@dataclass
class Load:
    """Callers who ask whichever machines their balancer names."""

    authorization: str
    pool: list[str]
    statuses: Counter[int] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    ended: bool = False
    turns: dict[int, int] = field(default_factory=dict)  # of each caller

    def run(self) -> None:
        with httpx.Client(headers={"Authorization": self.authorization}, timeout=30, trust_env=False) as client:
            turn = 0
            while not self.ended:
                base = self.pool[turn % len(self.pool)]
                turn += 1
                try:
                    self.statuses[client.get(base + PATH).status_code] += 1
                except httpx.HTTPError as error:
                    self.failures.append(f"{base}: {error!r}")
                self.turns[threading.get_ident()] = turn
                time.sleep(0.01)

    def remove(self, base: str) -> None:
        """Takes a machine out, and waits until no caller is asking it: a balancer drains before a machine ends."""
        self.pool.remove(base)
        before = dict(self.turns)
        _until(lambda: all(self.turns[caller] > turn + 1 for caller, turn in before.items()), "a caller stands still")

    @contextmanager
    def running(self) -> Iterator[None]:
        threads = [threading.Thread(target=self.run) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.ended = True
            for thread in threads:
                thread.join()


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("days")
    write_days(World(seed=5, companies=60, days=2, markets=("FI",)), folder)
    return sorted(path for path in folder.iterdir() if path.is_dir())


@pytest.fixture
def bucket(object_store: Callable[[], Bucket]) -> Bucket:
    return object_store()


@pytest.fixture
def machines(bucket: Bucket, postgresql: Callable[[], str], tmp_path: Path) -> Iterator[Machines]:
    tiers = tmp_path / "tiers.toml"
    tiers.write_text("[tiers.business]\nburst_per_second = 100000\nburst_capacity = 100000\n")
    secret = base64.b64encode(bytes(range(32))).decode()
    environment = {
        **bucket.environment,
        "FIRM_DATABASE_URL": postgresql(),
        **dict.fromkeys(("FIRM_PEPPER", "FIRM_CURSOR_KEYS", "FIRM_SEALING_KEYS"), secret),
        "FIRM_TIERS": str(tiers),
        "FIRM_DELIVER": "false",
        "FIRM_FOLLOW_SECONDS": "0.2",
        "FIRM_CLAIM_SECONDS": "2",
        "FIRM_ACCESS_LOG": "false",
        "FIRM_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8",
        "FIRM_WEBHOOK_ALLOW_HTTP": "true",
        "FIRM_WEBHOOK_ACK_SECONDS": "4",
        "FIRM_WEBHOOK_LEASE_SECONDS": "5",
    }
    made = Machines(tmp_path, environment)
    with ExitStack() as stack:
        stack.callback(lambda: [made.end(name, signal.SIGKILL) for name in list(made.running)])
        yield made


KINDS = ["filing.added", "status.changed"]


@pytest.mark.slow
def test_machines_come_and_go_under_load(machines: Machines, bucket: Bucket, days: list[Path]) -> None:
    one, two = machines.serve("serve-1"), machines.serve("serve-2")
    _until(lambda: _status(one) == 503, "no service")  # it listens, and nothing has been published yet
    machines.run("ingest", "fi", "--from", days[0])
    _serves_another_machines_release(one, two)
    caller = _caller(machines, one)
    for number in range(3):
        machines.start(f"deliver-{number}", "deliver")
    with receiver() as received, caller:
        told = caller.post(
            "/api/v1/webhooks", json={"endpoint_url": received.url, "event_types": KINDS, "entity_ids": None}
        )
        assert told.status_code == 201, told.text
        received.secret = told.json()["secret"]
        before = _used(caller)
        load = Load(caller.headers["Authorization"], [one, two])
        with load.running():
            three = machines.serve("serve-3")
            _until(lambda: _status(three) == 200, "the third did not come")
            load.pool.append(three)
            bucket.faults.append(Fault("503", "^GET .*/releases/0000000002/[0-9a-f]", times=3))
            machines.run("ingest", "fi", "--from", days[1])
            _until(lambda: len(received.events) > 0, "nothing was delivered")
            machines.end("deliver-0", signal.SIGKILL)
            written, asked = _written(caller, told.json()["id"])
            load.remove(two)
            assert machines.end("serve-2") == 0
            sent_before = set(received.events)
            _until(lambda: received.events.keys() >= _wanted(machines), "events are missing")
        assert (load.failures, set(load.statuses)) == ([], {200})
        _is_delivered_once_but_for_the_dead(received, _wanted(machines), sent_before - written)
        _is_counted(caller, before + load.statuses.total() + asked)
    assert machines.end("serve-1") == machines.end("serve-3") == machines.end("deliver-1") == 0
    _is_whole_here_and_there(machines, bucket)


def _serves_another_machines_release(*bases: str) -> None:
    """How fresh the datasets are follows it (unknown until then); incidents are recorded where it was made, null here."""
    _until(lambda: {_status(base) for base in bases} == {200}, "the first release did not come")
    _until(lambda: "fresh" in _dataset_states(bases[0]), "how fresh the datasets are did not come")
    told = httpx.get(f"{bases[0]}/status.json", timeout=30, trust_env=False).json()
    assert (told["incidents"], told["incidents_unknown_markets"]) == (None, ["FI"])


def _dataset_states(base: str) -> set[str]:
    told = httpx.get(f"{base}/status.json", timeout=30, trust_env=False).json()
    return {dataset["state"] for dataset in told["datasets"]}


def _caller(machines: Machines, base: str) -> httpx.Client:
    """A client with a key of an account that limits leave alone."""
    machines.run("accounts", "create", "--email", "reader@example.com", "--tier", "business")
    made = machines.run("keys", "create", "--account", "reader@example.com", "--kind", "live", "--json")
    headers = {"Authorization": f"Bearer {made.report['key']}"}
    return httpx.Client(base_url=base, headers=headers, timeout=30, trust_env=False)


def _is_delivered_once_but_for_the_dead(received: Received, wanted: set[str], owed: set[str]) -> None:
    """Once more comes what the one that was killed had sent and not yet written down: nothing else, and nothing thrice."""
    assert received.events.keys() == wanted
    repeated = {event_id for event_id, events in received.events.items() if len(events) > 1}
    assert repeated <= owed
    assert max(map(len, received.events.values())) <= 2
    assert received.refused == []


def _written(caller: httpx.Client, webhook: str) -> tuple[set[str], int]:
    """Events whose delivery is written down as acknowledged, and how many requests it took to ask."""
    found: set[str] = set()
    asked = 0
    cursor: dict[str, str] = {}
    while True:
        page = caller.get(f"/api/v1/webhooks/{webhook}/deliveries", params={"status": "succeeded", **cursor})
        assert page.status_code == 200, page.text
        found |= {one["event_id"] for one in page.json()["data"]}
        asked += 1
        if (after := page.json()["next_cursor"]) is None:
            return found, asked
        cursor = {"cursor": after}


def _is_whole_here_and_there(machines: Machines, bucket: Bucket) -> None:
    beside = Inside(machines.folder / "serve-1")
    assert "2 *" in beside.run("release", "list", **bucket.environment).out
    assert "is valid" in beside.run("release", "verify", **bucket.environment).out
    assert "no newer release" in beside.run("release", "pull", **bucket.environment).out
    exported = machines.run("export", "fi", "--format", "parquet", "--json")
    listed = [file["name"] for file in json.loads(exported.out)["exports"][0]["files"]]
    assert {f"exports/FI/0000000002/{name}" for name in (*listed, "manifest.json")} < set(bucket.listed())
    machines.run("release", "push")


def _is_counted(caller: httpx.Client, due: int) -> None:
    """Every request over all machines, none twice."""
    _until(lambda: _used(caller) >= due, "counts are missing")
    assert _used(caller) == due


def _used(caller: httpx.Client) -> int:
    """Requests of the month over all machines, as any of them tells it."""
    found = caller.get("/api/v1/usage")
    assert found.status_code == 200, found.text
    return found.json()["requests_used"]


def _wanted(machines: Machines) -> set[str]:
    events = Ledger(machines.writer.layout).after(0, 10_000)
    return {event.event_id for event in events if event.event_type in KINDS}


def test_the_doctor_looks_at_the_store(bucket: Bucket, tmp_path: Path) -> None:
    inside = Inside(tmp_path / "data")
    assert "object store" not in inside.run("doctor").out
    well = inside.run("doctor", **bucket.environment)
    assert re.search(r"ok\tobject store s3://\S+: release 0\t", well.out)
    assert re.search(r"warn\tobject store s3://\S+: read only\tto ingest .*FIRM_DATABASE_URL", well.out)
    bucket.faults.append(Fault("careless", "^PUT .*/doctor-", times=100))
    careless = inside.run("doctor", **bucket.environment)
    assert (careless.exit_code, "overwrites existing objects" in careless.out) == (1, True)
    assert bucket.listed() == []
    bucket.faults.clear()
    bucket.call("PUT", "releases/current.json", b'{"release": 7}')
    behind = inside.run("doctor", **bucket.environment)
    assert re.search(r"warn\tobject store s3://\S+: release 7, here 0\t", behind.out)


@pytest.mark.slow
def test_the_doctor_tells_a_store_of_another_line(bucket: Bucket, tmp_path: Path) -> None:
    inside = Inside(tmp_path / "data")
    learn(inside.layout, "NO", 0, companies=[member("NO", 1)])
    for at in (1, 2):
        publish(inside.layout, "NO", at=at, full=True)
    digest = manifest_digest(inside.layout, 2)
    cases = (
        (None, r"warn\tobject store s3://\S+: release 0, here 2\tno other machine has it: run firm release push"),
        ((1, digest), r"bad\tobject store s3://\S+: release 1, here 2: the store is behind\t.*empty FIRM_DATA"),
        ((2, "other"), r"bad\tobject store s3://\S+: release 2, here 2: two releases of one number\t"),
        ((2, digest), r"ok\tobject store s3://\S+: release 2\t"),
    )
    for pointer, expected in cases:
        if pointer is not None:
            written = json.dumps(dict(zip(("release", "manifest_sha256"), pointer, strict=True)))
            bucket.call("PUT", "releases/current.json", written.encode())
        assert re.search(expected, inside.run("doctor", **bucket.environment).out)


def test_commands_say_what_is_wrong(bucket: Bucket, postgresql: Callable[[], str], tmp_path: Path) -> None:
    inside = Inside(tmp_path / "data")
    alone = inside.run("release", "pull")
    assert (alone.exit_code, "FIRM_OBJECT_STORE" in alone.err) == (2, True)
    wrong = inside.run("release", "list", FIRM_OBJECT_STORE="bucket")
    assert (wrong.exit_code, "s3://bucket/prefix" in wrong.err) == (2, True)
    without = inside.run("release", "push", **bucket.environment)
    assert (without.exit_code, "set FIRM_DATABASE_URL" in without.err) == (1, True)
    lost = inside.run("release", "pull", **bucket.environment)
    assert (lost.exit_code, "has no release: check FIRM_OBJECT_STORE" in lost.err) == (1, True)
    empty = inside.run("release", "push", **bucket.environment, FIRM_DATABASE_URL=postgresql())
    assert (empty.exit_code, "nothing has been published" in empty.err) == (1, True)
    idle = inside.run("work")
    assert (idle.exit_code, "FIRM_CELERY_BROKER_URL" in idle.err) == (2, True)
    half = inside.run("work", FIRM_CELERY_BROKER_URL="redis://127.0.0.1/0")
    assert (half.exit_code, "FIRM_DAGSTER_DATABASE_URL" in half.err) == (2, True)
