"""Makes the helpers beside these tests importable, in the processes that tests start too; which tests need Dagster."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = str(HERE.parents[1])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)
# Folders, and files of others, whose tests ask what becomes of data, and nothing of Dagster's runs
OF_DATA = frozenset({"curation", "erasure", "maintenance", "steps", "transforms"})
FILES_OF_DATA = frozenset(
    f"ingest/test_run_{name}.py"
    for name in ("first_answers", "first_loads", "future", "killed_sets", "late_filings", "order", "rejected_rows")
)


@pytest.fixture(scope="module", autouse=True)
def without_needless_runs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tests of data ingest without Dagster."""
    path = request.path.relative_to(HERE)
    if path.parts[0] not in OF_DATA and path.as_posix() not in FILES_OF_DATA:
        from tests.dagster_migrations import read_once  # not at the head, as below

        read_once()
        yield
        return
    from tests.without_dagster import without_dagster  # not at the head: tests of pure functions need no Dagster

    with without_dagster():
        yield
