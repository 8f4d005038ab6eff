"""A service over HTTP with an account of the largest tier, and clients of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import firmdata
import httpx
import pytest

from api.runtime.uvicorn_server import build_server
from api.settings.service import ApiSettings
from tests import npm
from tests.api.conftest import migrated, shared_serve, world  # noqa: F401 -- fixtures
from tests.api.fixtures.running import Running
from tests.once import made_once


@dataclass(frozen=True)
class Live:
    """A running service: its address and a key."""

    service: Any
    url: str

    def client(self, **options: Any) -> firmdata.Client:
        return firmdata.Client(**{"api_key": self.service.key, "base_url": self.url} | options)

    def lines_of_example(self, null: str) -> list[str]:
        """What the first example of both READMEs prints, by what the service says itself. null: the language's word."""

        def get(path: str) -> list[dict[str, Any]]:
            return httpx.get(f"{self.url}/api/v1/companies{path}", headers=self.service.headers).json()["data"]

        def line(*values: Any) -> str:
            return " ".join(null if value is None else str(value) for value in values)

        lines: list[str] = []
        for one in get("?country=SE,NO&sort=-latest_revenue&limit=3"):
            lines.append(line(one["id"], one["name"], one["latest_revenue"], one["latest_currency"]))
            years = get(f"/{one['id']}/financials?period_type=annual&years=5")
            lines += [line("  ", year["period"], year["revenue"], year["currency"]) for year in years]
        assert len(lines) > 3
        return lines

    def async_client(self, **options: Any) -> firmdata.AsyncClient:
        return firmdata.AsyncClient(**{"api_key": self.service.key, "base_url": self.url} | options)


@pytest.fixture(scope="module")
def live(shared_serve: Any, world: Any) -> Iterator[Live]:  # noqa: F811 -- a fixture is named as it is asked for
    service = shared_serve(world, with_client=False)
    service.accounts.set_tier("owner@example.com", "business")
    with Running(build_server(service.app, ApiSettings(shutdown_seconds=1), port=0)) as running:
        yield Live(service, f"http://127.0.0.1:{running.port}")


@pytest.fixture(scope="session")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An otherwise empty folder into which the tarball of the TypeScript client is installed."""
    client = npm.built_client()

    def make(folder: Path) -> None:
        npm.install(npm.packed(client, folder / "packed"), folder)

    return made_once(tmp_path_factory, "typescript-client", make)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of an environment that has the wheel of the client; what it depends on is that of the tests."""
    return made_once(tmp_path_factory, "python-client", _install_wheel) / "bin" / "python"


def _install_wheel(folder: Path) -> None:
    package = Path(__file__).parents[2] / "sdk" / "python"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, package]
    subprocess.run(build, check=True, env=os.environ | {"PYTHONWARNINGS": "ignore"})
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    [built], [site] = folder.glob("firmdata-*.whl"), folder.glob("lib/python*/site-packages")
    subprocess.run([*pip, "install", "--no-deps", "--target", site, built], check=True)
    # Its files that name further folders are not read, so that the client in the sources is not found.
    (site / "dependencies.pth").write_text(f"{Path(httpx.__file__).parents[1]}\n")
