"""The `firm` command line: registers every command. Does not belong here: rules about data."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import typer
from dotenv import dotenv_values
from typer.core import TyperCommand, TyperGroup

from pipelines.ingest import sigint


class LazyCommand(NamedTuple):
    """A command that is loaded when it is called.

    member: module of `firm.commands` and its member, a function or a command group. summary: the first paragraph of its
    help, here too so that `firm --help` loads none.
    """

    member: str
    summary: str


COMMANDS_BY_NAME: Final = {
    "ingest": LazyCommand("ingest.ingest", "Ingest markets and publish a release."),
    "serve": LazyCommand("serve.serve", "Serve the API until Ctrl-C; new releases are picked up while it runs."),
    "deliver": LazyCommand(
        "serve.deliver", "Deliver webhooks until Ctrl-C, without serving the API; any number of these may run at once."
    ),
    "dagster": LazyCommand(
        "dagster.run_dagster", "Start Dagster's web interface and daemon, with the schedules of every market."
    ),
    "work": LazyCommand(
        "dagster.run_celery_worker",
        "Ingest markets handed out by Dagster, until Ctrl-C; any number of workers, on any machine.",
    ),
    "listen": LazyCommand(
        "listen.listen",
        "Read the feeds of a market until Ctrl-C; the next `firm ingest --live` ingests the received entries.",
    ),
    "accounts": LazyCommand("accounts.accounts", "Accounts of API consumers."),
    "keys": LazyCommand("accounts.keys", "API keys."),
    "watchlists": LazyCommand("watchlists.watchlists", "Watchlists of API consumers."),
    "billing": LazyCommand("billing.billing", "Billing with Stripe."),
    "release": LazyCommand("release.release", "Published releases."),
    "sandbox": LazyCommand("sandbox.sandbox", "Generated test data in the registries' own formats."),
    "doctor": LazyCommand(
        "doctor.doctor", "Check settings, keys, disk, clock and, with --live, the reachability of each source."
    ),
    "demo": LazyCommand(
        "demo.demo",
        "Load a generated world, deliver days of changes to a subscriber, print a key and what to open, and serve.",
    ),
    "export": LazyCommand(
        "release.export", "Export the current release: files per market, or tables that are kept up to date elsewhere."
    ),
    "exports": LazyCommand(
        "exports.list_exports",
        "List the bulk exports of this machine and the deltas between them, newest first (`firm export` makes them).",
    ),
    "mcp": LazyCommand(
        "mcp.serve_mcp", "Serve company data to an agent, over standard input and output (Model Context Protocol)."
    ),
    "erase": LazyCommand(
        "erase.erase",
        "Remove subjects from archive, tables, history, ledger, releases, exports and deliveries, and keep them out.",
    ),
    "news": LazyCommand("curation.news", "News items and their companies."),
    "owners": LazyCommand("curation.owners", "Holders of a company, and manual match decisions."),
    "backup": LazyCommand(
        "backup.backup", "Back up accounts, keys, usage, subscriptions, deliveries and mail while the service runs."
    ),
    "restore": LazyCommand(
        "backup.restore", "Restore a backup into the empty database of FIRM_DATA or FIRM_DATABASE_URL."
    ),
    "rebuild": LazyCommand(
        "maintenance.rebuild",
        "Rebuild the history of markets from STAGED, after an upgrade of the shared tables or their rules.",
    ),
    "prune": LazyCommand(
        "maintenance.prune", "List or delete RAW/STAGED files that are no longer needed. Exit code: 0 done, 1 error."
    ),
    "retract": LazyCommand(
        "retract.retract",
        "Take batches out of history and release, as if they had not been ingested; nothing is deleted.",
    ),
}


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
        module, _, name = COMMANDS_BY_NAME[cmd_name].member.partition(".")
        found = getattr(import_module(f"firm.commands.{module}"), name)
        if isinstance(found, typer.Typer):
            command = typer.main.get_group(found)
        else:
            alone = typer.Typer(add_completion=False)
            alone.command(cmd_name)(found)
            command = cast("TyperCommand", typer.main.get_command(alone))
        command.name = cmd_name
        return command

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Lists the commands by their summaries, as the library lists loaded ones."""
        listed = [TyperCommand(name, help=command.summary) for name, command in COMMANDS_BY_NAME.items()]
        shown = TyperGroup(name=self.name, commands=listed, help=self.help, params=self.params)
        shown.format_help(ctx, formatter)


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
