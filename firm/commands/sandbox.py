"""`firm sandbox …`: the generated world, as files or over HTTP like the registries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from firm.cli_errors import exit_on_error, fail
from firm.console import progress_printer

sandbox = typer.Typer(no_args_is_help=True, help="Generated test data in the registries' own formats.")

Companies = Annotated[int, typer.Option(min=1, help="Companies on the first day, over all markets.")]
Days = Annotated[int, typer.Option(min=1, help="Number of days, including the first, which has no events.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same bytes.")]
Fault = Annotated[
    list[str] | None,
    typer.Option(
        "--faults", help="PART-OF-PATH=FAULT, as lastned/csv=cut_off; repeatable. `--faults list` lists them."
    ),
]


@sandbox.command("write")
def write_world(
    directory: Annotated[Path, typer.Argument(help="Empty folder for YYYY-MM-DD/<cc>/… and truth.json.")],
    companies: Companies = 400,
    days: Days = 3,
    seed: Seed = 1,
) -> None:
    """Write the world as files. Ingest a day with `firm ingest --from DIR/YYYY-MM-DD`."""
    from firm.demo.sandbox_origin import played_markets
    from sandbox import World, write_days

    if directory.exists() and any(directory.iterdir()):
        fail(f"{directory} is not empty; name a new folder")
    with exit_on_error(ValueError):
        folders = write_days(
            World(seed=seed, companies=companies, days=days, markets=played_markets(), groups=True),
            directory,
            progress=progress_printer(quiet=False),
        )
    for folder in folders:
        typer.echo(str(folder))


@sandbox.command("serve")
def serve_world(
    companies: Companies = 400,
    days: Days = 3,
    seed: Seed = 1,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 chooses a free one.")] = 8124,
    faults: Fault = None,
) -> None:
    """Simulate the registries over HTTP until Ctrl-C. POST /sandbox/advance moves to the next day."""
    from firm.demo.sandbox_origin import played_markets
    from sandbox import FAULTS, SandboxServer, World, serve_forever

    if faults == ["list"]:
        typer.echo("\n".join(FAULTS))
        return
    chosen = dict(pair.split("=", 1) for pair in faults or () if "=" in pair)
    if len(chosen) != len(faults or ()):
        fail("a fault is PART-OF-PATH=FAULT, as lastned/csv=cut_off; `--faults list` lists them", 2)

    def ready(registry: SandboxServer) -> None:
        typer.echo(f"registries at {registry.url}; ingest with: FIRM_SANDBOX_URL={registry.url} firm ingest --sandbox")

    with exit_on_error(ValueError, OSError):
        serve_forever(
            World(seed=seed, companies=companies, days=days, markets=played_markets()),
            host=host,
            port=port,
            faults=chosen,
            ready=ready,
        )
