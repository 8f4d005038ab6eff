"""`firm dagster` and `firm work`: Dagster's web interface with its daemon, and workers that it hands markets to."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from firm.cli_errors import USAGE, fail
from firm.console import print_line
from firm.demo.settings import require_sandbox_url
from firm.doctor.setting_names import warn_of_misspelt_settings
from firm.environment import read_environment, read_ingest_settings

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings


def run_dagster(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the web interface.")] = 3000,
    host: Annotated[str, typer.Option(help="Where it listens; it asks nobody for a password.")] = "127.0.0.1",
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Runs fetch from the sandbox served at FIRM_SANDBOX_URL.")
    ] = False,
) -> None:
    """Start Dagster's web interface and daemon, with the schedules of every market."""
    if sandbox:
        require_sandbox_url()
    warn_of_misspelt_settings()
    _prepare_records(read_ingest_settings())
    module = "firm.demo.sandbox_definitions" if sandbox else "firm.definitions"
    _exec_program("dagster", "dev", "-m", module, "-h", host, "-p", str(port))


def run_celery_worker(
    name: Annotated[str, typer.Option(help="Name of this worker, if a machine has several.")] = "worker",
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Markets ingested in parallel.")] = 1,
) -> None:
    """Ingest markets handed out by Dagster, until Ctrl-C; any number of workers, on any machine."""
    if not read_ingest_settings().celery_broker_url:
        fail("no broker is configured: set FIRM_CELERY_BROKER_URL (docs/machines.md)", USAGE)
    warn_of_misspelt_settings()
    worker = (
        "-A",
        "pipelines.dagster_instance.celery_app",
        "worker",
        "-n",
        f"{name}@%h",
        "-c",
        str(at_once),
        "--loglevel=WARNING",
    )
    _exec_program("celery", *worker, "-Q", "dagster", "--without-gossip", "--without-mingle")


def _prepare_records(settings: IngestSettings) -> None:
    """Begins schedules again that a clock ahead has stopped, and fails runs that a killed process left as started.

    Later runs of their markets wait for these; where Celery hands them out, they are at work on other machines.
    """
    import connectors
    from pipelines.ingest.job_runs import dagster_instance
    from pipelines.runtime import dead_runs
    from pipelines.runtime.future_ticks import restart_future_instigators
    from pipelines.workspace import Workspace

    workspace = Workspace(settings, connectors.JURISDICTIONS)
    with dagster_instance(settings) as instance:
        for name in restart_future_instigators(instance, workspace.clock()):
            print_line(f"{name}: its last tick was dated in the future, by a clock that was ahead; it begins again now")
        if settings.celery_broker_url:
            return
        for made in connectors.JURISDICTIONS:
            dead_runs.fail_abandoned_runs(instance, workspace.market_lease, made.code, workspace.clock())


def _exec_program(program: str, *arguments: str) -> NoReturn:
    """Replaces this process with a program of the same environment, with our settings."""
    from pipelines.settings import PROJECT

    settings = read_ingest_settings()
    settings.dagster_storage.mkdir(parents=True, exist_ok=True)
    given = {
        **os.environ,
        **read_environment(),
        **settings.dagster_environment,
        "FIRM_DATA": str(settings.data.resolve()),
        "DAGSTER_DISABLE_TELEMETRY": "1",
    }
    os.chdir(PROJECT)
    path = Path(sys.executable).parent / program
    os.execve(path, [str(path), *arguments], given)  # noqa: S606 - our own words
