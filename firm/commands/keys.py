"""`firm keys …`: administration of API keys without the dashboard."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from api.accounts.service import AccountError
from api.auth.service_secrets import SecretsError
from api.settings.env import SettingError
from firm.bootstrap import Installation
from firm.cli_errors import exit_on_error
from firm.console import Json, print_result

keys = typer.Typer(no_args_is_help=True, help="API keys.")

_TROUBLE = (AccountError, SecretsError, SettingError)


@keys.command("create")
def create_key(
    account: Annotated[str, typer.Option(help="E-mail or account id.")],
    kind: Annotated[str, typer.Option(help="live (server), public (browser, bound to domains) or secret.")],
    domain: Annotated[list[str] | None, typer.Option(help="Allowed domain of a public key; repeatable.")] = None,
    label: Annotated[str | None, typer.Option(help="Purpose of the key.")] = None,
    expires: Annotated[datetime | None, typer.Option(help="Expiry of the key, UTC.")] = None,
    as_json: Json = False,
) -> None:
    """Create an API key. It is printed once and never stored in the clear."""
    ends = expires.replace(tzinfo=UTC) if expires is not None else None
    with exit_on_error(*_TROUBLE), Installation.read().accounts() as service:
        made = service.create_key(account, kind, domain or (), label, ends)
        document = {"key_id": made.key_id, "key": made.key, "kind": made.kind}
        print_result(as_json, document, f"{made.key}\n(shown once; id {made.key_id})")


@keys.command("list")
def list_keys(account: Annotated[str, typer.Option(help="E-mail or account id.")]) -> None:
    """List an account's keys, without their secret part."""
    with exit_on_error(*_TROUBLE), Installation.read().accounts() as service:
        for key in service.keys(account):
            state = key.state(datetime.now(UTC))
            typer.echo(f"{key.key_id}  {key.shown_prefix}…{key.shown_last}  {state}  {key.label or ''}".rstrip())


@keys.command("revoke")
def revoke_key(key_id: Annotated[str, typer.Argument(help="key_…, as `firm keys list` shows it.")]) -> None:
    """Revoke a key (a running service notices within 30 seconds)."""
    with exit_on_error(*_TROUBLE), Installation.read().accounts() as service:
        revoked = service.revoke_key(key_id)
        typer.echo(f"{revoked.key_id} is revoked")
