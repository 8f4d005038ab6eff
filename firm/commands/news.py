"""`firm news …`: news as the connectors hold it, for whoever looks after them."""

from __future__ import annotations

from typing import Annotated

import typer

from firm.compose import environment
from firm.failures import USAGE, explained, fail
from firm.printing import table
from pipelines.settings import SettingError, Settings
from warehouse.locks import Locked

news = typer.Typer(no_args_is_help=True, help="News and the companies it belongs to.")


@news.callback()
def _every_command() -> None:
    """Nothing is common to all commands."""


@news.command()
def unmatched(
    market: Annotated[str | None, typer.Option(help="Market code, as no; all by default.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Items of each market, newest first.")] = 50,
) -> None:
    """List news that found no company, and why: kept for review, and in no release."""
    import connectors
    from connectors.presses import PRESSES
    from pipelines.resources import Workspace
    from pipelines.run import UnknownMarket, chosen_markets
    from pipelines.unmatched import unmatched as find

    with explained(SettingError, UnknownMarket, code=USAGE):
        settings = Settings.read(environment())
        chosen = chosen_markets([market] if market else [], connectors.JURISDICTIONS)
    workspace = Workspace(settings, connectors.JURISDICTIONS)
    taken = [made for made in chosen if workspace.layout.history_file(made.code).exists()]
    if not taken:
        fail("nothing of these markets has been taken in here: firm ingest")
    with explained(Locked):
        found = [
            row
            for made in taken
            if made.code in PRESSES
            for row in find(workspace, made, PRESSES[made.code], limit).iter_rows(named=True)
        ]
    if not found:
        typer.echo("every item of news has its company")
        return
    table(
        ("source", "published", "title", "link", "why", "perhaps"),
        [
            (
                row["register"],
                f"{row['published_at']:%Y-%m-%dT%H:%MZ}",
                row["title"],
                row["url"] or "-",
                row["why"],
                row["perhaps"] or "-",
            )
            for row in found
        ],
    )
