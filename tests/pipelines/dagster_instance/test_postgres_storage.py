"""A pool that two workers make at one time is one pool, and fails neither's run."""

from collections.abc import Callable, Iterator

import dagster as dg
import pytest
from dagster_postgres import PostgresEventLogStorage
from sqlalchemy.exc import DBAPIError

from pipelines.dagster_instance.postgres_storage import ConcurrentPoolEventLog
from pipelines.ingest.job_runs import dagster_instance
from pipelines.settings import IngestSettings

POOL = "host_register"


@pytest.fixture
def instance(
    postgresql: Callable[[], str], tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dg.DagsterInstance]:
    given = {"FIRM_DATA": str(tmp_path), "FIRM_DAGSTER_DATABASE_URL": postgresql()}
    settings = IngestSettings.read(given)
    for name, value in settings.dagster_environment.items():
        monkeypatch.setenv(name, value)
    with dagster_instance(settings) as made:
        yield made


def test_a_pool_that_somebody_else_has_made_meanwhile_is_there(instance: dg.DagsterInstance) -> None:
    events = instance.event_log_storage
    assert isinstance(events, ConcurrentPoolEventLog)
    assert events.initialize_concurrency_limit_to_default(POOL)
    with pytest.raises(DBAPIError):  # what is mended here
        PostgresEventLogStorage.initialize_concurrency_limit_to_default(events, POOL)
    assert events.initialize_concurrency_limit_to_default(POOL)
    assert events.get_concurrency_keys() == {POOL}
    assert events.get_concurrency_info(POOL).slot_count == 1
