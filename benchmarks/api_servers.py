"""One server process of the API benchmark: ours, an empty Litestar, or datasette, on one uvicorn.

Started by `bench_api` as `python api_servers.py <which> <folder>`; prints its port (and key) and serves
until its standard input closes, so that it never outlives the benchmark. Does not belong here: measuring.
"""

import socket
import sys
import threading
from pathlib import Path

import uvicorn
from litestar import Litestar, get

ROOT = Path(__file__).resolve().parents[1]


def ours(folder: Path) -> tuple[Litestar, str]:
    from api.accounts import Accounts
    from api.app import create_app
    from api.clock import Clock
    from api.db.migrate import prepare
    from api.secrets import load_or_create
    from api.server import tune_memory
    from api.settings import ApiSettings
    from api.ulids import Ulids
    from warehouse.paths import Layout
    from warehouse.reader import Reader

    settings, clock = ApiSettings(data=folder), Clock()
    secrets = load_or_create(settings.secrets_path)
    database = prepare(settings.control_database_url)
    accounts = Accounts(database, secrets.pepper, clock, Ulids(clock.wall))
    accounts.create_account("bench@example.com", "business")
    key = accounts.create_key("bench@example.com", "live").key
    log = (folder / "access.log").open("ab", buffering=0)
    app = create_app(settings, Reader(Layout(folder)), database, secrets, clock, log.write)
    tune_memory()
    return app, key


def empty(folder: Path) -> tuple[Litestar, str]:  # noqa: ARG001
    @get("/")
    async def hello() -> dict[str, str]:
        return {"hello": "world"}

    return Litestar([hello], openapi_config=None), "-"


def datasette(folder: Path) -> tuple[object, str]:
    from datasette.app import Datasette

    return Datasette(files=[str(folder / "peer.db")], immutables=[]).app(), "-"


def main() -> None:
    sys.path.insert(0, str(ROOT))
    which, folder = sys.argv[1], Path(sys.argv[2])
    app, key = {"ours": ours, "empty": empty, "datasette": datasette}[which](folder)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        ws="none",
        proxy_headers=False,
    )
    server = uvicorn.Server(config)
    threading.Thread(target=_stop_with_parent, args=(server,), daemon=True).start()
    print(listener.getsockname()[1], key, flush=True)
    server.run(sockets=[listener])


def _stop_with_parent(server: uvicorn.Server) -> None:
    sys.stdin.read()
    server.should_exit = True


if __name__ == "__main__":
    main()
