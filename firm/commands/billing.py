"""`firm billing …`: billing administration, where Stripe is set up."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated

import typer

from api.accounts.service import AccountError
from api.auth.service_secrets import SecretsError
from api.billing.entitlement import Entitlement
from api.billing.errors import BillingError
from api.billing.service import BillingService
from firm.bootstrap import Installation
from firm.cli_errors import exit_on_error, fail
from firm.console import Json
from warehouse.settings.errors import SettingError

billing = typer.Typer(no_args_is_help=True, help="Billing with Stripe.")

Account = Annotated[str, typer.Option(help="E-mail or account id.")]
_TROUBLE = (AccountError, BillingError, SecretsError, SettingError)


@billing.command("checkout")
def print_checkout_url(
    account: Account,
    tier: Annotated[str, typer.Option(help="A tier with a price in FIRM_STRIPE_PRICES.")],
    as_json: Json = False,
) -> None:
    """Print the URL of a checkout where the account's owner enters a card and subscribes. Valid for a day."""
    _print_url(as_json, lambda paying: paying.checkout(account, tier))


@billing.command("portal")
def print_portal_url(account: Account, as_json: Json = False) -> None:
    """Print a one-time URL, valid briefly, where the account's owner changes card or tier, or cancels."""
    _print_url(as_json, lambda paying: paying.portal(account))


@billing.command("require")
def require_subscription(account: Account) -> None:
    """Require a subscription for an account that predates billing or was given its tier by an operator."""
    with exit_on_error(*_TROUBLE), Installation.read().billing() as paying:
        paying.require(account)
    typer.echo(f"{account} gets 402 until a plan begins; its webhooks are paused")


@billing.command("sync")
def sync_accounts(
    account: Annotated[
        str | None, typer.Option(help="E-mail or account id; default: all accounts known to Stripe.")
    ] = None,
) -> None:
    """Reconcile accounts with Stripe, after an outage or new prices. Exit code 1 if any account failed."""
    failed = 0
    with exit_on_error(*_TROUBLE), Installation.read().billing() as paying:
        for named in paying.all_accounts() if account is None else [account]:
            try:
                typer.echo(_status_line(named, paying.refresh(named)))
            except BillingError as error:
                failed += 1
                typer.echo(f"{named}  {error}", err=True)
    if failed:
        fail(f"{failed} could not be synced; their stored state is unchanged")


def _print_url(as_json: bool, ask: Callable[[BillingService], str]) -> None:
    with exit_on_error(*_TROUBLE), Installation.read().billing() as paying:
        url = ask(paying)
    typer.echo(json.dumps({"url": url}) if as_json else url)


def _status_line(named: str, found: Entitlement | None) -> str:
    if found is None:
        return f"{named}  no subscription yet; the account is unchanged"
    ends = f"  ends {found.ends_at:%Y-%m-%dT%H:%M:%SZ}" if found.ends_at else ""
    return f"{named}  {found.tier}  {found.status}  {found.stripe_status}{ends}"
