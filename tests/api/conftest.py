"""Services over small worlds: what every test of the API starts from."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from litestar import Litestar
from litestar.datastructures import State
from litestar.testing import TestClient

from api import app as application
from api.accounts.service import AccountService
from api.app import new_litestar
from api.auth.service_secrets import ServiceSecrets
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.database.migrate import prepare_database
from api.services import ApiServices as Parts
from api.settings.service import ApiSettings
from api.settings.tiers import DEFAULT, read_tiers
from tests.api.fixtures import release_data as worlds
from warehouse.reader.reader import ReleaseReader

# The clock of tests stands still, so no bucket would ever fill again; tests of limits ask for the true tiers.
AMPLE = read_tiers(
    {
        "tiers": {name: {"burst_per_second": 10_000, "burst_capacity": 100_000} for name in DEFAULT.names},
        "clients": {"failed_authentications_per_second": 100_000, "publishable_key_requests_per_second": 100_000},
    }
)


async def always_public(host: str) -> list[str]:
    """What a name server says of every host: no test asks a real one."""
    return ["93.184.215.14"]


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The five companies; nobody publishes into it again."""
    return worlds.whole_world(tmp_path_factory.mktemp("world"))


class Hands:
    """A clock whose hands tests move."""

    def __init__(self) -> None:
        self.seconds = datetime(2026, 11, 21, 9, 0, tzinfo=UTC).timestamp()

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Service:
    """A service over one data root, with an account, a live key and a client that uses it."""

    app: Litestar
    client: TestClient[Litestar]
    accounts: AccountService
    hands: Hands
    key: str
    lines: list[bytes]
    secrets: ServiceSecrets
    running: bool
    database: Database

    def stop(self) -> None:
        """Ends the service as a signal would: what it has gathered is written."""
        self.running = False
        self.client.__exit__(None, None, None)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    @property
    def parts(self) -> Parts:
        """What the application is put together from."""
        return self.app.state.service

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path, headers=self.headers | headers)


Serve = Callable[..., Service]


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A control-plane database without accounts: copied for every service, because migrating takes longer."""
    path = tmp_path_factory.mktemp("migrated") / "control.sqlite"
    prepare_database(f"sqlite:///{path}").close()
    return path


class LitestarPool:
    """Litestars of services that have ended: to register every route anew takes longer than most tests."""

    def __init__(self) -> None:
        self._idle: list[Litestar] = []
        self._handlers: dict[Litestar, Any] = {}

    def create_app(self, *given: Any, **named: Any) -> Litestar:
        """What `api.app.create_app` creates, of a Litestar that is idle if there is one."""
        with patch.object(application, "new_litestar", self._take):
            return application.create_app(*given, **named)

    def _take(self) -> Litestar:
        if self._idle:
            return self._idle.pop()
        made = new_litestar()
        self._handlers[made] = made.asgi_handler
        return made

    def give_back(self, app: Litestar) -> None:
        """Of a service that has ended: as it was before it had one."""
        app.state, app.asgi_handler = State(), self._handlers[app]
        self._idle.append(app)


_LITESTARS = LitestarPool()


def services_in(folder: Path, migrated: Path) -> Iterator[Serve]:
    """Starts services over data roots in a folder; they end when the fixture that yields from here does."""
    started = []

    def start(
        world: Any,
        reader: Any = None,
        secrets: ServiceSecrets | None = None,
        with_client: bool = True,
        resolver: Any = always_public,
        **settings: Any,
    ) -> Service:
        hands = Hands()
        clock = Clock(wall=hands, monotonic=hands)
        settings = {"tiers": AMPLE, "public_url": "https://api.example.com"} | settings
        chosen = ApiSettings(data=folder, **settings)
        if not started:
            shutil.copyfile(migrated, folder / "control.sqlite")
        database = prepare_database(chosen.control_database_url)
        secrets = secrets or ServiceSecrets.generate()
        accounts = AccountService(database, secrets.pepper, clock, UlidGenerator(clock.wall), chosen.tiers)
        if not started:
            accounts.create_account("owner@example.com", "pro")
        key = accounts.create_key("owner@example.com", "live").key
        held = reader or ReleaseReader(world.layout)
        lines: list[bytes] = []
        app = _LITESTARS.create_app(chosen, held, database, secrets, clock, lines.append, resolver=resolver)
        client = TestClient(app, base_url="http://api.example.com", raise_server_exceptions=False)
        if with_client:
            client.__enter__()
        made = Service(app, client, accounts, hands, key, lines, secrets, with_client, database)
        started.append((made, held))
        return made

    yield start
    for made, held in started:
        if made.running:
            made.stop()
        made.database.close()
        _LITESTARS.give_back(made.app)
        if hasattr(held, "close"):
            held.close()


@pytest.fixture
def serve(tmp_path: Path, migrated: Path) -> Iterator[Serve]:
    """Starts services over data roots; they end with the test."""
    yield from services_in(tmp_path, migrated)


@pytest.fixture
def service(serve: Serve, world: Any) -> Service:
    """A service of the test's own: for tests that write, move the clock, count, or read log lines."""
    return serve(world)


@pytest.fixture
def own_service(serve: Serve, world: Any) -> Service:
    """What `service` is, where a module has a shared one by that name."""
    return serve(world)


@pytest.fixture(scope="module")
def shared_serve(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[Serve]:
    """Starts services that the tests of a module share; they end with the module."""
    yield from services_in(tmp_path_factory.mktemp("shared"), migrated)


@pytest.fixture(scope="module")
def shared_service(shared_serve: Serve, world: Any) -> Service:
    """The service of a module's tests that only read answers: one key, a clock that nobody moves.

    A module whose tests mostly read makes this one its `service`; the others take `own_service`.
    """
    return shared_serve(world)


@dataclass
class Maker:
    """Makes rows and releases of a world of its own."""

    world: Any

    company = staticmethod(worlds.company)
    event = staticmethod(worlds.event)
    period = staticmethod(worlds.period)
    owner = staticmethod(worlds.owner)

    def publish(self, companies: list[dict[str, Any]], **more: Any) -> int:
        return self.world.publish(companies, **more)


@pytest.fixture
def make(tmp_path: Path) -> Callable[[], Maker]:
    return lambda: Maker(worlds.make_world(tmp_path / "data"))


@pytest.fixture(scope="session")
def new_world(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Maker]:
    """Worlds for the fixtures of whole modules."""
    return lambda: Maker(worlds.make_world(tmp_path_factory.mktemp("world")))
