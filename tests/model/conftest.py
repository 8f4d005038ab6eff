"""Worlds run on every thread of DuckDB, as at users: what threads do to each other shows here."""

from collections.abc import Iterator

import pytest

from tests.conftest import DUCKDB_THREADS
from warehouse.storage.duckdb import shared_instance


@pytest.fixture(autouse=True, scope="package")
def every_thread() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(DUCKDB_THREADS)
        shared_instance.cache_clear()
        yield
    shared_instance.cache_clear()
