"""`firm`: every command in one place. No rule about data stands here."""

from __future__ import annotations

import typer

from firm.commands import accounts, demo, doctor, ingest, later, release, sandbox, serve

app = typer.Typer(
    name="firm",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Company registry data of five countries as one API and a stream of events.",
)
app.command()(ingest.ingest)
app.command()(serve.serve)
app.command()(serve.deliver)
app.command()(ingest.dagster)
app.add_typer(accounts.accounts, name="accounts")
app.add_typer(accounts.keys, name="keys")
app.add_typer(release.release, name="release")
app.add_typer(sandbox.sandbox, name="sandbox")
app.command()(doctor.doctor)
app.command()(demo.demo)
app.command()(later.export)
app.command()(later.rebuild)


def main() -> None:
    """Entry point of the console script."""
    app()
