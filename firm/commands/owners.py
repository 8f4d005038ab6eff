"""`firm owners …`: who holds a company by whose word, and judgements (docs/operating.md, «Owners»)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from firm.compose import environment
from firm.failures import explained, fail
from firm.printing import table
from pipelines.settings import SettingError, Settings
from warehouse.judgements import Damaged, Judgement, Judgements, Unreversible
from warehouse.locks import Locked
from warehouse.paths import Layout
from warehouse.remote.failures import RemoteFailed
from warehouse.schema import identifiers
from warehouse.schema.verdicts import DIFFERENT, SAME

owners = typer.Typer(no_args_is_help=True, help="Holders of a company, and judgements of who is one.")

_Company = Annotated[str, typer.Argument(help="The company held: firm:NO:923609016 or its number.")]
_By = Annotated[str, typer.Option(help="Who judges; kept.")]
_Reason = Annotated[str, typer.Option(help="Why; kept. No names of persons.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@owners.command()
def show(company: _Company, as_json: _Json = False) -> None:
    """Lines of owners, the records behind each with their own ids, and by which rule they were joined."""
    from pipelines.judging import NotKnown, known

    with explained(NotKnown, Locked, Damaged):
        found = known(_layout(), company)
    rules = {join.other: f"{join.rule} {join.score:g}" for join in found.joins}
    records = [
        {
            "line": found.line_of(record) or "",
            "record": record["holder_id"],
            "name": record["holder_name"] or "",
            "register": record["register"],
            "native_id": record["native_id"],
            "pct": _share(record),
            "company": record["holder_company_id"] or "",
            "joined": rules.get(record["holder_id"], ""),
        }
        for record in found.records
    ]
    records.sort(key=lambda row: (row["line"], row["register"], row["native_id"]))
    if as_json:
        typer.echo(json.dumps({"company_id": found.company_id, "records": records}, ensure_ascii=False))
        return
    table(list(records[0]), [list(row.values()) for row in records], found.company_id)


@owners.command()
def judge(
    company: _Company,
    one: Annotated[str, typer.Argument(help="A holder of it: own_… of a line or a record.")],
    other: Annotated[str, typer.Argument(help="Another holder of it, or a company: own_… or firm:NO:….")],
    by: _By,
    reason: _Reason,
    same: Annotated[bool | None, typer.Option("--same/--different", help="They are one, or two.")] = None,
) -> None:
    """Say that two holders are one, or two, or that a holder is a company or not; a «different» beats everything.

    Nothing changes until the next ingest of the market; the merge or split itself makes no event.
    """
    from pipelines.judging import NotKnown, Told
    from pipelines.judging import judge as judged

    if same is None:
        raise typer.BadParameter("say --same or --different")
    told = Told(company, one, other, SAME if same else DIFFERENT, by, reason)
    with explained(NotKnown, Locked, Damaged, RemoteFailed), _shared() as layout:
        row = judged(layout, told, datetime.now(UTC))
    typer.echo(
        f"judgement {row.number}: {row.one} {row.verdict} {row.other}; followed by the next ingest of {row.market}"
    )


@owners.command()
def reverse(
    number: Annotated[int, typer.Argument(help="The judgement's number (firm owners list).")],
    by: _By,
    reason: _Reason,
) -> None:
    """Take a judgement back. Both rows stay."""
    with explained(Unreversible, Locked, Damaged, RemoteFailed), _shared() as layout:
        row = Judgements(layout).reverse(number, by, datetime.now(UTC), reason)
    typer.echo(
        f"judgement {number} is taken back by {row.number}; followed by the next ingest of {row.market}"
    )


@owners.command("list")
def list_judgements(
    company: Annotated[str | None, typer.Option(help="Only of this company.")] = None, as_json: _Json = False
) -> None:
    """Every judgement, oldest first, and which are in force."""
    number = None if company is None else identifiers.parse(company)
    if company is not None and number is None:
        raise typer.BadParameter(f"{company} is no company number or id")
    with explained(Damaged):
        judgements = Judgements(_layout())
        rows = [row for row in judgements.all() if number is None or row.company_id == number.company_id]
        valid = {row.number for row in judgements.in_force()}
    if as_json:
        typer.echo(json.dumps({"judgements": [_entry(row, valid) for row in rows]}, ensure_ascii=False))
        return
    if not rows:
        fail("nothing has been judged yet; run: firm owners show COMPANY", 0)
    entries = [_entry(row, valid) for row in rows]
    table(list(entries[0]), [[str(value) for value in entry.values()] for entry in entries])


def _entry(row: Judgement, valid: set[int]) -> dict[str, Any]:
    said = f"takes back {row.reverses}" if row.reverses is not None else row.verdict
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


def _share(record: dict[str, Any]) -> str:
    if record["pct"] is not None:
        return f"{record['pct'].normalize():f}"
    if record["pct_min"] is None:
        return ""
    high = record["pct_max"]
    return f"{record['pct_min'].normalize():f}-{'' if high is None else format(high.normalize(), 'f')}"


def _layout() -> Layout:
    with explained(SettingError):
        return Settings.read(environment()).layout


@contextmanager
def _shared() -> Iterator[Layout]:
    """The data folder with what has been judged on other machines; what is judged in the block goes to them."""
    with explained(SettingError):
        settings = Settings.read(environment())
    if settings.object_store is None:
        yield settings.layout
        return
    from warehouse.remote import journal
    from warehouse.remote.store import Store

    store = Store(settings.object_store)
    journal.shared(settings.layout, store)
    yield settings.layout
    journal.shared(settings.layout, store)
