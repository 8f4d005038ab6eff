"""Makes the helpers beside these tests importable, in the processes that tests start too; which tests need Dagster."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = str(HERE.parents[1])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)
# Folders whose tests ask what becomes of data, and nothing of Dagster's runs
OF_DATA = frozenset({"curation", "erasure", "maintenance", "steps", "transforms"})


@pytest.fixture(scope="module", autouse=True)
def without_needless_runs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tests of data ingest without Dagster."""
    if request.path.relative_to(HERE).parts[0] not in OF_DATA:
        yield
        return
    from tests.without_dagster import without_dagster  # not at the head: tests of pure functions need no Dagster

    with without_dagster():
        yield
