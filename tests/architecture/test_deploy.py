"""What lies in `deploy/` is what its readers take: by schema, by systemd's own check, and by our settings and commands."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from firm.cli import COMMANDS_BY_NAME

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


COMPOSE = ("compose.yaml", "compose.machines.yaml")


def _compose(name: str = "compose.machines.yaml") -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / name).read_text())


@pytest.mark.parametrize("name", COMPOSE)
def test_the_compose_file_is_one(name: str) -> None:
    checker = Path(sys.executable).with_name("check-jsonschema")
    if not checker.exists():
        pytest.skip("no check-jsonschema beside this Python")
    said = subprocess.run(
        [checker, "--builtin-schema", "vendor.compose-spec", DEPLOY / name], capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stdout


@pytest.mark.parametrize("name", COMPOSE)
def test_the_compose_file_names_what_there_is(name: str) -> None:
    made = _compose(name)
    ours = {name: service for name, service in made["services"].items() if "build" in service}
    for service in made["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
        for volume in service["volumes"]:
            source = volume.partition(":")[0]
            assert source in made["volumes"] or (DEPLOY / source).exists()
    for service in ours.values():
        assert service["command"][0] == "firm"
        assert service["command"][1] in COMMANDS_BY_NAME
        assert (DEPLOY / service["env_file"]).exists()
        assert service["read_only"]


def test_every_machine_has_a_disk_of_its_own() -> None:
    ours = {name: service for name, service in _compose()["services"].items() if "build" in service}
    assert {name.partition("-")[0] for name in ours} == {"serve", "deliver", "dagster", "work"}
    mounted = [volume.partition(":")[0] for service in ours.values() for volume in service["volumes"]]
    assert len(set(mounted)) == len(mounted)


def test_its_settings_exist_and_agree() -> None:
    known = set(re.findall(r"^(FIRM_[A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert _settings_of("machine.env").keys() <= known
    given = _settings_of("machines.env")
    assert {name for name in given if name.startswith("FIRM_")} <= known
    services = _compose()["services"]
    assert services["postgresql"]["environment"]["POSTGRES_PASSWORD"] in given["FIRM_DATABASE_URL"]
    assert services["objects"]["environment"]["MINIO_ROOT_PASSWORD"] == given["AWS_SECRET_ACCESS_KEY"]
    assert "CREATE DATABASE dagster;" in (DEPLOY / "databases.sql").read_text()


@pytest.mark.parametrize("name", COMPOSE)
def test_what_a_compose_file_reads_is_a_setting_and_documented(name: str) -> None:
    """`${VAR}` of the file is in deploy/README.md; FIRM_ names exist, in the file and in the README."""
    known = set(re.findall(r"^(FIRM_[A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    text, readme = (DEPLOY / name).read_text(), (DEPLOY / "README.md").read_text()
    read = set(re.findall(r"(?<!\$)\$\{?([A-Z_][A-Z0-9_]*)", text))
    assert read <= set(re.findall(r"[A-Z_][A-Z0-9_]*", readme))
    assert set(re.findall(r"FIRM_[A-Z_]+", text + readme)) <= known


def test_settings_that_are_filled_in_are_named_in_the_readme() -> None:
    """What machines.env leaves empty must be filled in before the first start."""
    empty = {name for name, value in _settings_of("machines.env").items() if not value}
    assert empty == {"FIRM_PEPPER", "FIRM_CURSOR_KEYS", "FIRM_SEALING_KEYS", "FIRM_MARK_KEY"}
    readme = (DEPLOY / "README.md").read_text()
    assert all(f"`{name}`" in readme for name in empty)


def _settings_of(name: str) -> dict[str, str]:
    lines = [line for line in (DEPLOY / name).read_text().splitlines() if not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


@pytest.mark.parametrize("name", ["postgresql", "celery"])
def test_dagster_differs_only_in_what_is_shared(name: str) -> None:
    alone = yaml.safe_load((ROOT / "dagster.yaml").read_text())
    shared = yaml.safe_load((DEPLOY / "dagster" / name / "dagster.yaml").read_text())
    differs = {key for key in alone.keys() | shared.keys() if alone.get(key) != shared.get(key)}
    more = {"run_launcher", "run_monitoring", "concurrency"} if name == "celery" else set()
    assert differs == {"storage"} | more


def test_the_units_are_what_systemd_takes(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze here")
    assert len(UNITS) == 4
    for unit in UNITS:  # where it is installed, the program is there
        text = unit.read_text()
        assert f"Check: systemd-analyze verify deploy/systemd/{unit.name}" in text
        (tmp_path / unit.name).write_text(text.replace("/srv/firmdata/.venv/bin/firm", "/bin/true"))
        command = re.findall(r"^ExecStart=/srv/firmdata/.venv/bin/firm (\w+)", text, re.MULTILINE)
        assert set(command) <= COMMANDS_BY_NAME.keys()
    said = subprocess.run(
        ["systemd-analyze", "verify", *(tmp_path / unit.name for unit in UNITS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.returncode, said.stderr) == (0, "")


# Dagster tells its task to every app of a process, and other tests may have made one in this one.
@pytest.mark.filterwarnings("ignore:Task name 'execute_job' is already registered")
def test_workers_take_one_market_each_and_keep_it() -> None:
    celery = pytest.importorskip("pipelines.dagster_instance.celery_app", reason="Celery is not installed")
    conf = celery.app.conf
    assert conf.worker_prefetch_multiplier == conf.worker_max_tasks_per_child == 1
    assert conf.worker_disable_prefetch
    assert not conf.task_acks_late
    assert [queue.name for queue in conf.task_queues] == ["dagster"]
    assert "execute_job" in celery.app.tasks
