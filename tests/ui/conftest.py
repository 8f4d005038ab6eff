"""The React components as a page has them: the package with its tools from npm, a Chromium, a running service.

The tools go into ui/node_modules, once (`make test` installs them; else the first test does). Where there is no npm,
or a node too old for them, or no Chromium, what needs them is skipped.
"""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

from connectors.sandbox import World, enough, write
from tests.firm.conftest import Firm
from tests.firm.inside import Inside

HERE = Path(__file__).parent
UI = HERE.parents[1] / "ui"
STAMP = UI / "node_modules" / ".installed"
LOCK = UI / "package-lock.json"
NODE = (20, 19)  # the oldest version that all of the tools run on
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MARKETS = ("FI",)  # one market has every kind of event, and little to load
DAYS = 2


def _version() -> tuple[int, ...]:
    told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in told.strip().lstrip("v").split(".")[:2])


@pytest.fixture(scope="session")
def run() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program within ui/, its packages installed: `run("npm", "test")` gives the finished process."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("node and npm are not installed")
    if _version() < NODE:
        pytest.skip(f"node is older than {NODE[0]}.{NODE[1]}")
    with LOCK.open() as held:  # several processes of one test run
        fcntl.flock(held, fcntl.LOCK_EX)
        if not STAMP.is_file() or STAMP.stat().st_mtime < LOCK.stat().st_mtime:
            command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
            subprocess.run(command, cwd=UI, check=True, capture_output=True)
            STAMP.touch()

    def run(*command: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(one) for one in command],
            cwd=UI,
            env=os.environ | {"NO_COLOR": "1", "CI": "true"},
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run


@pytest.fixture(scope="session")
def browser() -> str:
    """The path of a Chromium."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium: components are not tried in a browser (Debian: apt-get install chromium)")
    return found


@dataclass(frozen=True)
class Live:
    """A running service on a generated world, and keys of it."""

    client: httpx.Client  # with a secret key
    key: str  # publishable, for pages of this machine
    elsewhere: str  # publishable, for pages of another domain

    @property
    def base(self) -> str:
        return str(self.client.base_url).rstrip("/")

    def get(self, path: str, **parameters: str | int) -> dict[str, Any]:
        answer = self.client.get(path, params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("components")
    world = World(seed=23, companies=enough(DAYS, MARKETS), days=DAYS, markets=MARKETS, press=MARKETS)
    firm = Firm(folder / "data")
    for day in write(world, folder / "days"):
        firm.ingest(day, *(market.lower() for market in MARKETS))
    with firm.serving() as client:
        bound = partial(_public_key, Inside(firm.data))
        yield Live(client, bound("http://127.0.0.1:*"), bound("shop.example.com"))


def _public_key(inside: Inside, domain: str) -> str:
    made = inside.run(
        "keys", "create", "--account", "reader@example.com", "--kind", "public", "--domain", domain, "--json"
    )
    return made.report["key"]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        pass


@pytest.fixture(scope="session")
def gallery(
    run: Callable[..., subprocess.CompletedProcess[str]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Address of the gallery, built and served on another origin than the service's."""
    folder = tmp_path_factory.mktemp("gallery")
    built = run("node", "gallery/build.mjs", folder)
    assert built.returncode == 0, built.stdout + built.stderr
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def visit(
    run: Callable[..., subprocess.CompletedProcess[str]],
    browser: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[list[dict[str, Any]]], dict[str, Any]]:
    """What a browser finds on pages, by the names of the visits; screenshots stay in the tests' folder."""
    folder = tmp_path_factory.mktemp("screenshots")

    def visit(visits: list[dict[str, Any]]) -> dict[str, Any]:
        asked = {"browser": browser, "folder": str(folder), "visits": visits}
        done = run("node", HERE / "visit.mjs", given=json.dumps(asked))
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    return visit
