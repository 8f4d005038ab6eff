"""The `firm` command line: registers every command. Does not belong here: rules about data."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final, cast

import typer
from dotenv import dotenv_values
from typer.core import TyperCommand, TyperGroup

from pipelines.ingest import sigint

COMMANDS_BY_NAME: Final = {
    "ingest": "ingest.ingest",
    "serve": "serve.serve",
    "deliver": "serve.deliver",
    "dagster": "dagster.run_dagster",
    "work": "dagster.run_celery_worker",
    "listen": "ingest.listen",
    "accounts": "accounts.accounts",
    "keys": "accounts.keys",
    "watchlists": "watchlists.watchlists",
    "billing": "billing.billing",
    "release": "release.release",
    "sandbox": "sandbox.sandbox",
    "doctor": "doctor.doctor",
    "demo": "demo.demo",
    "export": "release.export",
    "exports": "exports.list_exports",
    "mcp": "mcp.serve_mcp",
    "erase": "erase.erase",
    "news": "curation.news",
    "owners": "curation.owners",
    "backup": "backup.backup",
    "restore": "backup.restore",
    "rebuild": "maintenance.rebuild",
    "prune": "maintenance.prune",
    "retract": "retract.retract",
}
"""By name: module of `firm.commands` and its member, a function or a command group."""


# With Python's default thresholds the garbage collector runs dozens of times during imports and frees
# nothing: half a second of an ingest's start-up.
_COLLECTED: Final = (5_000, 20, 100)

_PREVIEW: Final = "FIRM_PREVIEW_MARKETS"
"""As in `warehouse.schema.markets`, which reads it when it is imported: before any command reads its settings."""
_INTERRUPTED: Final = 130
"""Conventional exit code after Ctrl-C."""


class _LazyCommandGroup(TyperGroup):
    """Loads commands lazily: a service must not carry Dagster and polars in its memory."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 -- the library's signature
        return list(COMMANDS_BY_NAME)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | TyperGroup | None:  # noqa: ARG002 -- as above
        if cmd_name not in COMMANDS_BY_NAME:
            return None
        module, _, name = COMMANDS_BY_NAME[cmd_name].partition(".")
        found = getattr(import_module(f"firm.commands.{module}"), name)
        if isinstance(found, typer.Typer):
            command = typer.main.get_group(found)
        else:
            alone = typer.Typer(add_completion=False)
            alone.command(cmd_name)(found)
            command = cast("TyperCommand", typer.main.get_command(alone))
        command.name = cmd_name
        return command


app = typer.Typer(
    name="firm",
    cls=_LazyCommandGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Company registry data of five countries: one API and a stream of events.",
)


@app.callback()
def _every_command() -> None:
    """No options are common to all commands."""


def main() -> None:
    """Entry point of the console script."""
    gc.set_threshold(*_COLLECTED)
    sigint.install_sigint_redelivery()
    _pass_previews_on()
    try:
        app()
    except RuntimeError as error:
        if str(error) != sigint.QUERY_INTERRUPTED:
            raise
        sys.exit(_INTERRUPTED)


def _pass_previews_on() -> None:
    """Sets the markets in preview that `.env` names, for this process and those it starts; the environment wins."""
    written = dotenv_values(Path.cwd() / ".env").get(_PREVIEW)
    if written:
        os.environ.setdefault(_PREVIEW, written)
