"""`firm watchlists …`: the watchlists of an account, for operators, and for lists that lie in files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from api.accounts.service import AccountError
from api.auth.service_secrets import SecretsError
from api.problems.problem import ProblemError
from api.watchlists.models import watchlist_json
from api.watchlists.service import WatchlistService
from firm.bootstrap import Installation
from firm.cli_errors import exit_on_error, fail
from firm.console import Json, print_result, print_table
from pipelines.runtime.counted_words import counted
from warehouse.schema.identifiers import parse_company_number
from warehouse.settings.errors import SettingError

watchlists = typer.Typer(no_args_is_help=True, help="Watchlists of API consumers.")

_Account = Annotated[str, typer.Option(help="E-mail or account id.")]
_Watchlist = Annotated[str, typer.Argument(help="Id of the watchlist.")]
_File = Annotated[Path, typer.Argument(help="A company's number or id in each line.", exists=True, dir_okay=False)]
_PAGE: Final = 1_000
_SHOWN: Final = 60


@watchlists.command("list")
def list_watchlists(account: _Account, as_json: Json = False) -> None:
    """List an account's watchlists, newest first."""
    with _opened(account) as (service, account_id):
        found = asyncio.run(service.page(account_id, None, _PAGE))
    rows = [watchlist_json(one) for one in found]
    if as_json:
        typer.echo(json.dumps({"watchlists": rows}))
        return
    print_table(("id", "companies", "name"), [(one["id"], str(one["company_count"]), one["name"]) for one in rows])


@watchlists.command("create")
def create_watchlist(
    account: _Account, name: Annotated[str, typer.Option(help="Its name.")], as_json: Json = False
) -> None:
    """Create an empty watchlist."""
    with _opened(account) as (service, account_id):
        made = watchlist_json(asyncio.run(service.create(account_id, {"name": name})))
    print_result(as_json, made, f"{made['id']}  {made['name']}")


@watchlists.command("add")
def add_companies(watchlist: _Watchlist, file: _File, account: _Account, as_json: Json = False) -> None:
    """Add the companies of a file, all or none."""
    _change(account, watchlist, file, is_added=True, as_json=as_json)


@watchlists.command("remove")
def remove_companies(watchlist: _Watchlist, file: _File, account: _Account, as_json: Json = False) -> None:
    """Remove the companies of a file."""
    _change(account, watchlist, file, is_added=False, as_json=as_json)


def _change(account: str, watchlist: str, file: Path, *, is_added: bool, as_json: bool) -> None:
    companies = _read_companies(file)
    add, remove = (companies, []) if is_added else ([], companies)
    with _opened(account) as (service, account_id):
        made = asyncio.run(service.change_membership(account_id, watchlist, add, remove))
    document = {"id": watchlist, "added": made.added, "removed": made.removed, "company_count": made.record.companies}
    told = f"{made.added} added" if is_added else f"{made.removed} removed"
    print_result(as_json, document, f"{told}; {counted(made.record.companies, 'company', 'companies')} on {watchlist}")


def _read_companies(file: Path) -> list[str]:
    """Company ids in the order of the file, each once; blank lines are skipped."""
    found: dict[str, None] = {}
    for place, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        if not (text := line.strip()):
            continue
        number = parse_company_number(text)
        if number is None:
            fail(f"{file} line {place}: {text[:_SHOWN]!r} is no company number or id; nothing was changed")
        found[number.company_id] = None
    return list(found)


@contextmanager
def _opened(account: str) -> Iterator[tuple[WatchlistService, str]]:
    """The service, and the id of the account."""
    with exit_on_error(AccountError, ProblemError, SecretsError, SettingError):
        installation = Installation.read()
        with installation.accounts() as accounts:
            account_id = accounts.account(account).account_id
        with installation.watchlists() as service:
            yield service, account_id
