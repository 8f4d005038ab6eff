"""Servers of the API benchmarks, each a process of its own: ours, an empty Litestar, datasette, roapi.

Ours is `firm serve` as an operator starts it, with keys, quota, headers, access log and metrics on. Does not belong
here: what they hold (`api_release`, `api_peers`), what they are asked (`api_questions`), measuring.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.api_release import ROOT, Built
from benchmarks.processes import Memory, family, memory, worked

HOST = "127.0.0.1"
_READY_SECONDS = 300.0
_EMAIL = "bench@example.com"
_CLIENTS = {"failed_authentications_per_second": 10**6}
_GENEROUS = {"monthly_requests": 10**9, "burst_per_second": 10**6, "burst_capacity": 10**6}  # counted all the same


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: where it listens, the key it wants, its processes."""

    which: str
    port: int
    key: str
    process: int

    def memory(self) -> Memory:
        """Of the process that answers; of the largest where there are several workers."""
        return max((memory(one) for one in family(self.process)), key=lambda found: found.own)

    def worked(self) -> float:
        """Seconds of processor time that its processes have used: tells what a busy machine hides."""
        return sum(worked(one) for one in family(self.process))


@contextmanager
def serving(which: str, world: Built) -> Iterator[Server]:
    """Starts a server over a world and waits until it listens; it ends with the block."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port, log = free_port(), folder / "server.log"
        command, environment, key = _STARTS[which](world, folder, port)
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=stack.enter_context(log.open("wb"))
        )
        stack.callback(end_process, process)
        until_listening(process, port, log)
        yield Server(which, port, key, process.pid)


Start = tuple[list[str], dict[str, str], str]


def _ours(world: Built, folder: Path, port: int) -> Start:
    data = folder / "data"
    data.mkdir()
    for name in ("releases", "ledger"):  # read only; keys and usage are this run's own
        (data / name).symlink_to(world.data / name)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FIRM_")}
    tiers = folder / "tiers.json"
    tiers.write_text(json.dumps({"tiers": {"business": _GENEROUS}, "clients": _CLIENTS}))
    environment = {**kept, "FIRM_DATA": str(data), "FIRM_ACCESS_LOG": "true", "FIRM_TIERS": str(tiers)}
    _firm(environment, "accounts", "create", "--email", _EMAIL, "--tier", "business")
    made = _firm(environment, "keys", "create", "--account", _EMAIL, "--kind", "live", "--json")
    command = [sys.executable, "-m", "firm", "serve", "--host", HOST, "--port", str(port)]
    return command, environment, json.loads(made)["key"]


def _firm(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "firm", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def _empty(world: Built, folder: Path, port: int) -> Start:  # noqa: ARG001
    return _application("empty_application", str(port))


def _datasette(world: Built, folder: Path, port: int) -> Start:  # noqa: ARG001
    return _application("datasette_application", str(port), str(world.folder / "peer.db"))


def _application(maker: str, *arguments: str) -> Start:
    code = f"import sys; from benchmarks import api_servers as s; s.run(s.{maker}(*sys.argv[2:]), int(sys.argv[1]))"
    return [sys.executable, "-c", code, *arguments], dict(os.environ), ""


def _roapi(world: Built, folder: Path, port: int) -> Start:
    settings = {
        "addr": {"http": f"{HOST}:{port}", "postgres": f"{HOST}:0", "flight_sql": f"{HOST}:0"},
        "tables": [{"name": "companies", "uri": str(world.folder / "companies.parquet")}],
        "kvstores": [
            {"name": "profiles", "uri": str(world.folder / "profiles.parquet"), "key": "org_number", "value": "body"}
        ],
    }
    path = folder / "roapi.yml"
    path.write_text(json.dumps(settings))  # JSON is YAML too
    found = shutil.which("roapi", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        raise SystemExit("roapi is not installed: run `make setup`")
    return [found, "-c", str(path)], dict(os.environ), ""


_STARTS = {"ours": _ours, "empty": _empty, "datasette": _datasette, "roapi": _roapi}


def empty_application() -> object:
    """A Litestar application that does nothing: the floor."""
    from litestar import Litestar, get

    @get("/")
    async def hello() -> dict[str, str]:
        return {"hello": "world"}

    return Litestar([hello], openapi_config=None)


def datasette_application(path: str) -> object:
    """Datasette over one immutable file, as `datasette serve -i` makes it."""
    from datasette.app import Datasette

    return Datasette(files=[], immutables=[path], settings={"suggest_facets": False}).app()


def run(application: object, port: int) -> None:
    """Serves a peer under the same server and options as ours."""
    from api.runtime.uvicorn_server import build_server, tune_memory
    from api.settings.service import ApiSettings

    tune_memory()
    build_server(application, ApiSettings(), HOST, port).run()  # type: ignore[arg-type]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def until_listening(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    until = time.monotonic() + _READY_SECONDS
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"{process.args} does not listen:\n{log.read_text(errors='replace')[-3000:]}")


def end_process(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
