"""One service for all that is sent to it, and the command lines that send it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import npm
from tests.collections.clients import Client
from tests.collections.live import Live, live

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live(tmp_path_factory.mktemp("collections")) as running:
        yield running


@pytest.fixture(params=["newman", "bru"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Client:
    return Client(request.param, npm.commands(HERE) / request.param, tmp_path / "report.json")
