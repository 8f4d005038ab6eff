"""The account's usage of the current month (docs/contract/contract.md 4.9); not counted."""

import asyncio
from typing import Any, Final

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from api.accounts import Accounts
from api.answers import Answer, plain_answer
from api.call import Call
from api.db.records import AccountRecord
from api.endpoints import endpoint
from api.limits import Meter
from api.parameters import NO_PARAMETERS
from api.problems import unavailable

_RETRY_AFTER: Final = 2


@endpoint("/api/v1/usage", counted=False, secret_only=True)
async def get_usage(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    caller = call.known_caller
    limits, month = call.service.limits, call.service.limits.month().number
    try:
        account, stored, subscriptions = await asyncio.to_thread(
            _ask, call.service.accounts, caller.account_id, month
        )
    except SQLAlchemyError as error:
        raise unavailable("Usage cannot be read at the moment.", _RETRY_AFTER) from error
    limits.learn(caller.meter, month, stored)
    return plain_answer(200, msgspec.json.encode(_usage(caller.meter, account, subscriptions)))


def _ask(accounts: Accounts, account_id: str, month: int) -> tuple[AccountRecord, int, int]:
    """The current account, its stored usage over all processes, and its number of subscriptions."""
    used = accounts.used(account_id, month)
    return accounts.account(account_id), used, accounts.subscriptions(account_id)


def _usage(meter: Meter, account: AccountRecord, subscriptions: int) -> dict[str, Any]:
    tier, month, used = meter.tier, meter.month, meter.count.used
    return {
        "tier": tier.name,
        "period_start": f"{month.start:%Y-%m-%dT%H:%M:%SZ}",
        "period_end": f"{month.end:%Y-%m-%dT%H:%M:%SZ}",
        "requests_used": used,
        "requests_limit": tier.monthly_requests,
        "requests_remaining": max(0, tier.monthly_requests - used),
        "burst_per_second": tier.burst_per_second,
        "burst_capacity": tier.burst_capacity,
        "webhooks_enabled": tier.webhooks,
        "subscriptions_used": subscriptions,
        "subscriptions_limit": tier.subscriptions,
        "trial_ends_at": None
        if account.trial_ends_at is None
        else f"{account.trial_ends_at:%Y-%m-%dT%H:%M:%SZ}",
        "account_status": account.status,
    }
