"""The migrations of Dagster are read once by a process of tests; those of the product each time."""

from pathlib import Path

import dagster as dg
import pytest
from alembic import util
from alembic.config import Config
from alembic.script import ScriptDirectory

from pipelines.ingest.job_runs import dagster_instance
from pipelines.settings import IngestSettings
from tests import dagster_migrations


@dg.asset
def one() -> None: ...


def test_a_second_folder_of_records_reads_no_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dagster_migrations.read_once()
    read: list[str] = []
    load = util.load_python_file
    monkeypatch.setattr(util, "load_python_file", lambda folder, name: read.append(str(name)) or load(folder, name))
    for name in ("one", "other"):
        read.clear()
        with dagster_instance(IngestSettings(data=tmp_path / name)) as instance:
            assert dg.materialize([one], instance=instance).success
            assert instance.event_log_storage.alembic_version() == instance.run_storage.alembic_version()
    assert set(read) == {"env.py"}, "of each new file, whose tables it makes"


def test_migrations_of_others_are_read_each_time() -> None:
    dagster_migrations.read_once()
    config = Config()
    config.set_main_option("script_location", "api:database/migrations")
    assert ScriptDirectory.from_config(config) is not ScriptDirectory.from_config(config)
