"""`firm owners …` and `firm news …`: review of what connectors collected, and decisions on holders.

See docs/operating.md, «Owners».
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from firm.cli_errors import USAGE, exit_on_error, fail
from firm.console import Json, print_table
from firm.environment import read_ingest_settings
from warehouse.decisions import CorruptDecisionLogError, DecisionLog, DecisionRecord, IrreversibleDecisionError
from warehouse.replication.errors import ReplicationError
from warehouse.schema import identifiers
from warehouse.schema.decisions import DIFFERENT, SAME
from warehouse.storage.layout import Layout
from warehouse.storage.locks import AlreadyLockedError

owners = typer.Typer(no_args_is_help=True, help="Holders of a company, and manual match decisions.")

_Company = Annotated[str, typer.Argument(help="The company: firm:NO:923609016 or its number.")]
_By = Annotated[str, typer.Option(help="Who decides; stored.")]
_Reason = Annotated[str, typer.Option(help="Reason; stored. No names of persons.")]


@owners.command("show")
def show_owners(company: _Company, as_json: Json = False) -> None:
    """Show owners with the source records behind each, their ids, and the rule that joined them."""
    from pipelines.curation.holder_decisions import HolderDecisionError, load_company_owners

    with exit_on_error(HolderDecisionError, AlreadyLockedError, CorruptDecisionLogError):
        found = load_company_owners(read_ingest_settings().layout, company)
    rules = {join.other: f"{join.rule} {join.score:g}" for join in found.joins}
    records = [
        {
            "line": found.line_of(record) or "",
            "record": record["holder_id"],
            "name": record["holder_name"] or "",
            "register": record["register"],
            "native_id": record["native_id"],
            "pct": _share_text(record),
            "company": record["holder_company_id"] or "",
            "joined": rules.get(record["holder_id"], ""),
        }
        for record in found.records
    ]
    records.sort(key=lambda row: (row["line"], row["register"], row["native_id"]))
    if as_json:
        typer.echo(json.dumps({"company_id": found.company_id, "records": records}, ensure_ascii=False))
        return
    print_table(list(records[0]), [list(row.values()) for row in records], found.company_id)


@owners.command("judge")
def record_holder_decision(
    company: _Company,
    one: Annotated[str, typer.Argument(help="A holder of the company: own_… of a row or a source record.")],
    other: Annotated[str, typer.Argument(help="Another holder, or a company: own_… or firm:NO:….")],
    by: _By,
    reason: _Reason,
    same: Annotated[bool | None, typer.Option("--same/--different", help="One holder, or two.")] = None,
) -> None:
    """Decide that two holders are the same or different, or that a holder is a company or not.

    A «different» overrides everything. Nothing changes until the next ingest of the market; the merge or split
    itself makes no event.
    """
    from pipelines.curation.holder_decisions import DecisionRequest, HolderDecisionError
    from pipelines.curation.holder_decisions import record_decision as judged

    if same is None:
        raise typer.BadParameter("give --same or --different")
    told = DecisionRequest(company, one, other, SAME if same else DIFFERENT, by, reason)
    with (
        exit_on_error(HolderDecisionError, AlreadyLockedError, CorruptDecisionLogError, ReplicationError),
        _synced_layout() as layout,
    ):
        row = judged(layout, told, datetime.now(UTC))
    typer.echo(
        f"decision {row.number}: {row.one} {row.verdict} {row.other}; applied by the next ingest of {row.market}"
    )


@owners.command("reverse")
def reverse_decision(
    number: Annotated[int, typer.Argument(help="Number of the decision (firm owners list).")], by: _By, reason: _Reason
) -> None:
    """Reverse a decision. Both rows stay."""
    with (
        exit_on_error(IrreversibleDecisionError, AlreadyLockedError, CorruptDecisionLogError, ReplicationError),
        _synced_layout() as layout,
    ):
        row = DecisionLog(layout).reverse(number, by, datetime.now(UTC), reason)
    typer.echo(f"decision {number} is reversed by {row.number}; applied by the next ingest of {row.market}")


@owners.command("list")
def list_decisions(
    company: Annotated[str | None, typer.Option(help="Only of this company.")] = None, as_json: Json = False
) -> None:
    """List all decisions, oldest first, and which are in force."""
    number = None if company is None else identifiers.parse_company_number(company)
    if company is not None and number is None:
        raise typer.BadParameter(f"{company} is not a company number or id")
    with exit_on_error(CorruptDecisionLogError):
        judgements = DecisionLog(read_ingest_settings().layout)
        rows = [row for row in judgements.all() if number is None or row.company_id == number.company_id]
        valid = {row.number for row in judgements.active_decisions()}
    entries = [_decision_json(row, valid) for row in rows]
    if as_json:
        typer.echo(json.dumps({"judgements": entries}, ensure_ascii=False))
        return
    if not entries:
        fail("no decisions yet; run: firm owners show COMPANY", 0)
    print_table(list(entries[0]), [[str(value) for value in entry.values()] for entry in entries])


def _decision_json(row: DecisionRecord, valid: set[int]) -> dict[str, Any]:
    said = f"reverses {row.reverses}" if row.reverses is not None else row.verdict
    return {
        "number": row.number,
        "company": row.company_id,
        "one": row.one,
        "verdict": said,
        "other": row.other,
        "in_force": row.number in valid,
        "by": row.by,
        "at": f"{row.at:%Y-%m-%dT%H:%M:%SZ}",
        "reason": row.reason,
    }


def _share_text(record: dict[str, Any]) -> str:
    if record["pct"] is not None:
        return f"{record['pct'].normalize():f}"
    if record["pct_min"] is None:
        return ""
    high = record["pct_max"]
    return f"{record['pct_min'].normalize():f}-{'' if high is None else format(high.normalize(), 'f')}"


@contextmanager
def _synced_layout() -> Iterator[Layout]:
    """The data folder with decisions synchronised from other machines, and to them after the block."""
    settings = read_ingest_settings()
    if settings.object_store is None:
        yield settings.layout
        return
    from warehouse.replication import decision_log
    from warehouse.replication.s3 import ObjectStore

    store = ObjectStore(settings.object_store)
    decision_log.sync_decision_log(settings.layout, store)
    yield settings.layout
    decision_log.sync_decision_log(settings.layout, store)


news = typer.Typer(no_args_is_help=True, help="News items and their companies.")


@news.callback()
def _every_command() -> None:
    """No options are common to all commands."""


@news.command("unmatched")
def list_unmatched_news(
    market: Annotated[str | None, typer.Option(help="Market code, as no; all by default.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Items per market, newest first.")] = 50,
) -> None:
    """List news without a matching company, with the reason: kept for review, and in no release."""
    import connectors
    from pipelines.curation.unmatched_news import find_unmatched_news as find
    from pipelines.workspace import UnknownMarketError, Workspace, chosen_markets

    settings = read_ingest_settings()
    with exit_on_error(UnknownMarketError, code=USAGE):
        chosen = chosen_markets([market] if market else [], connectors.JURISDICTIONS)
    workspace = Workspace(settings, connectors.JURISDICTIONS)
    taken = [made for made in chosen if workspace.layout.history_file(made.code).exists()]
    if not taken:
        fail("these markets have no data here: run firm ingest")
    with exit_on_error(AlreadyLockedError):
        found = [row for made in taken if made.news_items for row in find(workspace, made, limit).iter_rows(named=True)]
    if not found:
        typer.echo("no news item that was ingested is without a company")
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
