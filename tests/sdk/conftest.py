"""A service over HTTP with an account of the largest tier, and clients of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import firmdata
import pytest

from api.runtime.uvicorn_server import build_server
from api.settings.service import ApiSettings
from tests.api.conftest import migrated, shared_serve, world  # noqa: F401 -- fixtures
from tests.api.fixtures.running import Running


@dataclass(frozen=True)
class Live:
    """A running service: its address and a key."""

    service: Any
    url: str

    def client(self, **options: Any) -> firmdata.Client:
        return firmdata.Client(**{"api_key": self.service.key, "base_url": self.url} | options)

    def async_client(self, **options: Any) -> firmdata.AsyncClient:
        return firmdata.AsyncClient(**{"api_key": self.service.key, "base_url": self.url} | options)


@pytest.fixture(scope="module")
def live(shared_serve: Any, world: Any) -> Iterator[Live]:  # noqa: F811 -- a fixture is named as it is asked for
    service = shared_serve(world, with_client=False)
    service.accounts.set_tier("owner@example.com", "business")
    with Running(build_server(service.app, ApiSettings(shutdown_seconds=1), port=0)) as running:
        yield Live(service, f"http://127.0.0.1:{running.port}")
