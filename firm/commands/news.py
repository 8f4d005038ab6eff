"""`firm news …`: review of news items collected by the connectors."""

from __future__ import annotations

from typing import Annotated

import typer

from firm.bootstrap import read_environment
from firm.cli_errors import USAGE, exit_on_error, fail
from firm.console import print_table
from pipelines.settings import IngestSettings, PipelineSettingError
from warehouse.storage.locks import AlreadyLockedError

news = typer.Typer(no_args_is_help=True, help="News items and their companies.")


@news.callback()
def _every_command() -> None:
    """No options are common to all commands."""


@news.command()
def list_unmatched_news(
    market: Annotated[str | None, typer.Option(help="Market code, as no; all by default.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Items per market, newest first.")] = 50,
) -> None:
    """List news without a matching company, with the reason: kept for review, and in no release."""
    import connectors
    from pipelines.curation.unmatched_news import find_unmatched_news as find
    from pipelines.ingest.run import UnknownMarketError, chosen_markets
    from pipelines.workspace import Workspace

    with exit_on_error(PipelineSettingError, UnknownMarketError, code=USAGE):
        settings = IngestSettings.read(read_environment())
        chosen = chosen_markets([market] if market else [], connectors.JURISDICTIONS)
    workspace = Workspace(settings, connectors.JURISDICTIONS)
    taken = [made for made in chosen if workspace.layout.history_file(made.code).exists()]
    if not taken:
        fail("these markets have no data here: run firm ingest")
    with exit_on_error(AlreadyLockedError):
        found = [row for made in taken if made.news_items for row in find(workspace, made, limit).iter_rows(named=True)]
    if not found:
        typer.echo("every news item is linked to a company")
        return
    print_table(
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
