"""Dagster's migrations are read once, and only Dagster's."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from alembic import util
from alembic.config import Config
from alembic.script import ScriptDirectory

from pipelines.dagster_instance import migration_scripts
from pipelines.dagster_instance.dagster_internals import sql
from pipelines.ingest.job_runs import dagster_instance
from pipelines.settings import IngestSettings

migration_scripts.read_once()


@dg.asset
def one() -> None: ...


def configured(location: str) -> Config:
    config = Config()
    config.set_main_option("script_location", location)
    return config


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The migrations that are read, and how often."""
    found: Counter[str] = Counter()
    load = util.load_python_file

    def noting(folder: Any, name: Any) -> Any:
        found[str(name)] += 1
        return load(folder, name)

    monkeypatch.setattr(util, "load_python_file", noting)
    return found


def test_new_records_and_runs_read_each_of_dagsters_migrations_once_by_process(
    tmp_path: Path, read: Counter[str]
) -> None:
    for name in ("one", "other"):
        with dagster_instance(IngestSettings(data=tmp_path / name)) as instance:
            for _ in range(2):
                assert dg.materialize([one], instance=instance).success
            assert instance.event_log_storage.alembic_version() == instance.run_storage.alembic_version()
    assert read.pop("env.py") > 2  # of each new file, which says its version
    assert set(read.values()) <= {1}  # none, if a test before this one needed them


def test_scripts_of_others_are_read_each_time() -> None:
    dagsters = [ScriptDirectory.from_config(configured(sql.ALEMBIC_SCRIPTS_LOCATION)) for _ in range(2)]
    assert dagsters[0] is dagsters[1]
    others = [ScriptDirectory.from_config(configured("api:database/migrations")) for _ in range(2)]
    assert others[0] is not others[1]
