"""`firm accounts …` and `firm keys …`: administration of accounts and API keys without the dashboard."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from api.accounts.secret_fingerprints import forget_fingerprints
from api.accounts.service import AccountError
from api.auth.service_secrets import SecretsError
from firm.bootstrap import Installation
from firm.cli_errors import exit_on_error
from firm.console import Json, print_result
from firm.instants import instant_option
from warehouse.settings.errors import SettingError

accounts = typer.Typer(no_args_is_help=True, help="Accounts of API consumers.")
keys = typer.Typer(no_args_is_help=True, help="API keys.")

_Account = Annotated[str, typer.Argument(help="E-mail or account id.")]
_AccountOption = Annotated[str, typer.Option(help="E-mail or account id.")]
Tier = Annotated[str, typer.Option(help="basic, starter, pro or business, or another that FIRM_TIERS names.")]
_TROUBLE = (AccountError, SecretsError, SettingError)


@accounts.command("create")
def create_account(
    email: Annotated[str, typer.Option(help="E-mail of the owner; receives notices.")],
    tier: Tier,
    as_json: Json = False,
) -> None:
    """Create an account."""
    with exit_on_error(*_TROUBLE), Installation.read().accounts() as service:
        account = service.create_account(email, tier)
        document = {"account_id": account.account_id, "email": account.email, "tier": account.tier}
        print_result(as_json, document, f"{account.account_id}  {account.email}  {account.tier}")


@accounts.command("set-tier")
def set_tier(account: _AccountOption, tier: Tier, as_json: Json = False) -> None:
    """Change an account's tier."""
    with exit_on_error(*_TROUBLE):
        _check_not_billed(Installation.read(), account)
    with exit_on_error(*_TROUBLE), Installation.read().accounts() as service:
        changed = service.set_tier(account, tier)
        document = {"account_id": changed.account_id, "email": changed.email, "tier": changed.tier}
        print_result(as_json, document, f"{changed.email} now has tier {changed.tier}")


def _check_not_billed(installation: Installation, account: str) -> None:
    """Rejects accounts with a Stripe subscription, which would override the tier and bill another."""
    if not installation.settings.billing.is_on:
        return
    with installation.billing() as billing:
        if billing.is_tier_managed(account):
            raise AccountError(
                f"the tier of {account} is set by its Stripe subscription: change it there, or in the customer "
                "portal (firm billing portal)"
            )


@accounts.command("list")
def list_accounts(as_json: Json = False) -> None:
    """List all accounts, oldest first."""
    with exit_on_error(*_TROUBLE), Installation.read().accounts() as service:
        found = service.all_accounts()
        if as_json:
            told = [{"account_id": a.account_id, "email": a.email, "tier": a.tier, "status": a.status} for a in found]
            typer.echo(json.dumps({"accounts": told}))
            return
        for account in found:
            typer.echo(f"{account.account_id}  {account.tier}  {account.status}  {account.email}")


@accounts.command("suspend")
def suspend_account(account: _Account, as_json: Json = False) -> None:
    """Suspend an account: reject its keys (services notice within FIRM_KEY_CACHE_SECONDS), pause its webhooks."""
    _set_status(account, "suspended", as_json)


@accounts.command("activate")
def activate_account(account: _Account, as_json: Json = False) -> None:
    """Reactivate a suspended account; its owner resumes the webhooks, and replays what was held."""
    _set_status(account, "active", as_json)


@accounts.command("link")
def print_sign_in_link(
    account: _Account,
    hours: Annotated[int, typer.Option(min=1, max=72, help="Lifetime of the link, in hours.")] = 1,
    as_json: Json = False,
) -> None:
    """Print a one-time dashboard sign-in link for the owner, for installations that send no mail."""
    with exit_on_error(*_TROUBLE):
        address = Installation.read().sign_in_link(account, timedelta(hours=hours))
        print_result(as_json, {"link": address}, address)


@accounts.command("forget-secrets")
def forget_secrets() -> None:
    """Accept other secrets than those the database was used with: every API key made with the old pepper is void."""
    with exit_on_error(*_TROUBLE), Installation.read().database() as database:
        forget_fingerprints(database)
        typer.echo("The next service to start records its own secrets. Make new keys, and rotate webhook secrets.")


def _set_status(account: str, status: str, as_json: bool) -> None:
    with exit_on_error(*_TROUBLE), Installation.read().accounts() as service:
        changed = service.set_status(account, status)
        document = {"account_id": changed.account_id, "email": changed.email, "status": changed.status}
        print_result(as_json, document, f"{changed.email} is now {changed.status}")


@keys.command("create")
def create_key(
    account: _AccountOption,
    kind: Annotated[str, typer.Option(help="live (server), public (browser, bound to domains) or secret.")],
    domain: Annotated[list[str] | None, typer.Option(help="Allowed domain of a public key; repeatable.")] = None,
    label: Annotated[str | None, typer.Option(help="Purpose of the key.")] = None,
    expires: Annotated[datetime | None, instant_option("Expiry of the key.")] = None,
    as_json: Json = False,
) -> None:
    """Create an API key. It is printed once and never stored in the clear."""
    with exit_on_error(*_TROUBLE), Installation.read().accounts() as service:
        made = service.create_key(account, kind, domain or (), label, expires)
        document = {"key_id": made.key_id, "key": made.key, "kind": made.kind}
        print_result(as_json, document, f"{made.key}\n(shown once; id {made.key_id})")


@keys.command("list")
def list_keys(account: _AccountOption) -> None:
    """List an account's keys, without their secret part."""
    with exit_on_error(*_TROUBLE), Installation.read().accounts() as service:
        for key in service.keys(account):
            state = key.state(datetime.now(UTC))
            typer.echo(f"{key.key_id}  {key.shown_prefix}…{key.shown_last}  {state}  {key.label or ''}".rstrip())


@keys.command("revoke")
def revoke_key(key_id: Annotated[str, typer.Argument(help="key_…, as `firm keys list` shows it.")]) -> None:
    """Revoke a key (services notice within FIRM_KEY_CACHE_SECONDS)."""
    with exit_on_error(*_TROUBLE), Installation.read().accounts() as service:
        revoked = service.revoke_key(key_id)
        typer.echo(f"{revoked.key_id} is revoked")
