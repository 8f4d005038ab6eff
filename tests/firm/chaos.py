"""Chaos on purpose: deliveries to endpoints that misbehave, while workers are killed and the database restarts.

Everything is genuine: `firm deliver` processes, a published ledger, subscriptions made through the API, receivers in
a process of their own. Does not belong here: what must be true afterwards (`test_webhook_chaos`).
"""

import base64
import json
import math
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from litestar.testing import TestClient
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from api.accounts.service import AccountService
from api.app import create_app
from api.auth.service_secrets import load_or_create
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.database.migrate import prepare_database
from api.settings.service import ApiSettings
from tests.api.fixtures import release_data as worlds
from tests.forked import RunningFirm, start_firm
from warehouse.reader.reader import ReleaseReader

PATIENCE_SECONDS = 900
KILL_EVERY_SECONDS = 3.0
SICK = {"hang": 0.10, "flaky": 0.10, "reset": 0.05, "drip_head": 0.025, "drip_body": 0.025}
OWNER = "owner@example.com"


@dataclass(frozen=True)
class Shape:
    """How much of everything. A third of the events is there before the workers, the rest comes in two releases."""

    endpoints: int
    events: int
    workers: int
    kills: int
    restarts: int
    seed: int = 7

    @property
    def behaviours(self) -> list[str]:
        sick = [name for name, share in SICK.items() for _ in range(math.ceil(share * self.endpoints))]
        found = sick + ["healthy"] * (self.endpoints - len(sick))
        random.Random(self.seed).shuffle(found)
        return found


@dataclass
class Ended:
    """What the receivers saw, and what the database says."""

    behaviours: dict[str, str]
    seen: dict[str, Any]
    rows: list[Any]
    kills: int
    restarts: int
    mails: list[Any]
    queued: int
    exit_codes: list[int]
    seconds: float
    addresses: dict[str, str] = field(default_factory=dict)
    event_ids: list[str] = field(default_factory=list)

    def latencies(self, behaviour: str = "healthy") -> list[float]:
        """Seconds from match to first acknowledgement, of endpoints that behave so."""
        found = []
        for row in self.rows:
            address = self.addresses[row.subscription_id]
            if self.behaviours[address] == behaviour:
                acknowledged = self.seen["events"][address][row.event_id][2]
                found.append(acknowledged - row.created_at / 1_000)
        return sorted(found)


def percentile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Chaos:
    """One run. `restart` crashes the database and starts it again; None where it is a file."""

    def __init__(self, folder: Path, url: str, shape: Shape, restart: Callable[[], None] | None) -> None:
        self._folder = folder
        self._shape = shape
        self._restart = restart
        self._chance = random.Random(shape.seed)
        self._world = worlds.make_world(folder / "data")
        self._world.publish([worlds.company(worlds.NO, "EKSEMPEL ASA")])
        self._port, self._mail_port = unused_port(), unused_port()
        self._environment = self._settings(url)
        self._addresses = [f"127.0.{1 + n // 250}.{1 + n % 250}" for n in range(shape.endpoints)]
        self._workers: list[RunningFirm] = []
        self._log = (folder / "workers.log").open("ab")
        self._kills = 0
        self._restarts = 0
        self._published = 0

    def run(self, behaviours: list[str]) -> Ended:
        """From the first event to the last that is settled; `behaviours` of the endpoints there are."""
        endpoints = dict(zip(self._addresses, behaviours, strict=False))
        with self._receivers(endpoints) as control, self._database() as database:
            addresses = self._subscribe(database, control, endpoints)
            began = time.monotonic()
            expected = len(endpoints) * self._shape.events
            try:
                self._publish(math.ceil(self._shape.events / 3))
                self._workers = [self._start() for _ in range(self._shape.workers)]
                self._make_chaos(control, database, expected)
                seconds = time.monotonic() - began
                exit_codes = self._stop()
            finally:
                for worker in self._workers:
                    worker.kill()
                    worker.wait()
            return Ended(
                behaviours=endpoints,
                seen=control.get("/stats").json(),
                rows=_all(database, _DELIVERIES),
                kills=self._kills,
                restarts=self._restarts,
                mails=_all(database, "SELECT * FROM mail_outbox"),
                queued=_all(database, "SELECT count(*) AS n FROM webhook_queue")[0].n,
                exit_codes=exit_codes,
                seconds=seconds,
                addresses=addresses,
                event_ids=self._event_ids(),
            )

    def _make_chaos(self, control: httpx.Client, database: Database, expected: int) -> None:
        """Kills and restarts, each after some progress or some seconds, until everything is settled."""
        steps = self._steps()
        until, next_at, came = time.monotonic() + PATIENCE_SECONDS, time.monotonic(), 0
        each = max(1, expected // (len(steps) + 1))
        while time.monotonic() < until:
            posts = control.get("/short").json()["posts"]
            self._replace()
            if steps and (posts - came >= each or time.monotonic() >= next_at + KILL_EVERY_SECONDS) and posts > 0:
                steps.pop(0)()
                came, next_at = posts, time.monotonic()
            elif not steps and self._is_settled(database, expected):
                return
            time.sleep(0.05)  # between two looks
        raise AssertionError(f"not settled after {PATIENCE_SECONDS} s: {self._state(database)}")

    def _steps(self) -> list[Callable[[], None]]:
        """Kills with releases and restarts between them."""
        steps: list[Callable[[], None]] = [self._kill] * self._shape.kills
        left = self._shape.events - math.ceil(self._shape.events / 3)
        steps.insert(len(steps) // 3, lambda: self._publish(left // 2))
        steps.insert(2 * len(steps) // 3, lambda: self._publish(left - left // 2))
        for number in range(self._shape.restarts if self._restart else 0):
            steps.insert((2 * number + 1) * len(steps) // (2 * self._shape.restarts), self._restart_database)
        return steps

    def _kill(self) -> None:
        place = self._chance.randrange(len(self._workers))
        os.kill(self._workers[place].pid, signal.SIGKILL)
        self._workers[place].wait()
        self._replace()
        self._kills += 1

    def _replace(self) -> None:
        """As a supervisor does it, also for one that found no database when it began."""
        for place, worker in enumerate(self._workers):
            if worker.poll() is not None:
                self._workers[place] = self._start()

    def _restart_database(self) -> None:
        assert self._restart is not None
        self._restart()
        self._restarts += 1

    def _is_settled(self, database: Database, expected: int) -> bool:
        state = self._state(database)
        unfinished = sum(state.get(one, 0) for one in ("pending", "retrying"))
        mailed = _all(database, "SELECT count(*) AS n FROM mail_outbox WHERE next_attempt_at IS NOT NULL")[0].n
        return sum(state.values()) == expected and not unfinished and not mailed

    def _state(self, database: Database) -> dict[str, int]:
        rows = _all(database, "SELECT status, count(*) AS n FROM webhook_deliveries GROUP BY status")
        return {row.status: row.n for row in rows}

    def _publish(self, count: int) -> None:
        numbers = range(self._published, self._published + count)
        self._world.publish(events=[worlds.event(worlds.NO, number) for number in numbers])
        self._published += count

    def _event_ids(self) -> list[str]:
        return [worlds.event(worlds.NO, number)["event_id"] for number in range(self._published)]

    def _start(self) -> RunningFirm:
        written = self._log.fileno()
        return start_firm(["deliver"], self._environment, stdout=written, stderr=written)

    def _stop(self) -> list[int]:
        """As an operator does it."""
        for worker in self._workers:
            worker.terminate()
        return [worker.wait(60) for worker in self._workers]

    def _subscribe(self, database: Database, control: httpx.Client, endpoints: dict[str, str]) -> dict[str, str]:
        """One subscription per endpoint, made as a client makes it; subscription → address."""
        settings = ApiSettings.read(self._environment)
        secrets, clock = load_or_create(settings.secrets_path, self._environment), Clock()
        accounts = AccountService(database, secrets.pepper, clock, UlidGenerator(clock.wall), settings.tiers)
        accounts.create_account(OWNER, "business")
        key = accounts.create_key(OWNER, "live").key
        reader, made = ReleaseReader(self._world.layout), dict[str, str]()
        keys = dict[str, str]()
        app = create_app(settings, reader, database, secrets, clock, lambda _: None)
        with TestClient(app) as client:
            client.headers["Authorization"] = f"Bearer {key}"
            for address in endpoints:
                body = {
                    "endpoint_url": f"http://{address}:{self._port}/events",
                    "event_types": ["status.changed"],
                    "entity_ids": [worlds.NO],
                }
                answer = client.post("/api/v1/webhooks", json=body)
                assert answer.status_code == 201, answer.text
                made[answer.json()["id"]] = address
                keys[address] = answer.json()["secret"].encode().hex()
        reader.close()
        control.post("/secrets", json=keys)
        return made

    @contextmanager
    def _receivers(self, endpoints: dict[str, str]) -> Iterator[httpx.Client]:
        given = self._folder / "endpoints.json"
        told = {"endpoints": endpoints, "port": self._port, "mail_port": self._mail_port, "seed": self._shape.seed}
        given.write_text(json.dumps(told))
        script = Path(__file__).with_name("chaos_endpoints.py")
        process = subprocess.Popen([sys.executable, str(script), str(given)], stdout=subprocess.PIPE)
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"listening\n"
            address = f"http://127.0.0.1:{self._port}"
            with httpx.Client(base_url=address, timeout=60, trust_env=False) as control:
                yield control
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()

    @contextmanager
    def _database(self) -> Iterator[Database]:
        database = prepare_database(ApiSettings.read(self._environment).control_database_url)
        try:
            yield database
        finally:
            database.close()
            self._log.close()

    def _settings(self, url: str) -> dict[str, str]:
        """As an operator would write them, with seconds where the contract has hours."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FIRM_")}
        tiers = self._folder / "tiers.toml"
        tiers.write_text("[tiers.business]\nburst_per_second = 100000\nburst_capacity = 100000\nsubscriptions = 1000\n")
        return kept | {
            "FIRM_DATA": str(self._folder / "data"),
            "FIRM_DATABASE_URL": url,
            **dict.fromkeys(("FIRM_PEPPER", "FIRM_CURSOR_KEYS", "FIRM_SEALING_KEYS"), _SECRET),
            "FIRM_TIERS": str(tiers),
            "FIRM_WEBHOOK_WAITS": "0.5,0.5,1,1,2",
            "FIRM_WEBHOOK_ACK_SECONDS": "1",
            "FIRM_WEBHOOK_LEASE_SECONDS": "3",
            "FIRM_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8",
            "FIRM_WEBHOOK_ALLOW_HTTP": "true",
            "FIRM_SMTP_HOST": "127.0.0.1",
            "FIRM_SMTP_PORT": str(self._mail_port),
            "FIRM_SMTP_SECURITY": "none",
        }


_SECRET = base64.b64encode(bytes(range(32))).decode()
_DELIVERIES = (
    "SELECT d.subscription_id, d.delivery_id, d.status, d.tries, d.attempt_count, d.created_at, e.event_id, "
    "s.status AS subscription_status, s.status_reason, "
    "(SELECT count(*) FROM webhook_attempts a WHERE a.delivery_id = d.delivery_id) AS logged, "
    "(SELECT count(*) FROM webhook_attempts a WHERE a.delivery_id = d.delivery_id AND a.outcome = 'succeeded') "
    "AS successes "
    "FROM webhook_deliveries d JOIN webhook_events e ON e.sequence = d.sequence "
    "JOIN webhook_subscriptions s ON s.subscription_id = d.subscription_id"
)


def _all(database: Database, statement: str) -> list[Any]:
    """Asked again where the database has just been restarted under us."""
    for _ in range(20):
        try:
            with database.reading() as session:
                return list(session.execute(text(statement)).all())
        except OperationalError:
            time.sleep(0.1)
    raise AssertionError("the database does not come back")


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
