"""The account's usage of the current month (docs/contract/contract.md 4.9); not counted."""

import asyncio
from typing import Any, Final

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from api.accounts.records import AccountRecord
from api.accounts.service import AccountService
from api.http.context import RequestContext
from api.http.query.params import NO_PARAMETERS
from api.http.responses import HttpResponse, json_response
from api.http.routing import endpoint
from api.problems.problem import service_unavailable
from api.rate_limits.limiter import AccountLimits

_RETRY_AFTER: Final = 2


@endpoint("/api/v1/usage", counted=False, secret_only=True)
async def get_usage(call: RequestContext) -> HttpResponse:
    NO_PARAMETERS.read(call.query)
    caller = call.known_caller
    limits, month = call.service.limits, call.service.limits.month().number
    try:
        account, stored, subscriptions = await asyncio.to_thread(
            _read_usage, call.service.accounts, caller.account_id, month
        )
    except SQLAlchemyError as error:
        raise service_unavailable("Usage cannot be read at the moment.", _RETRY_AFTER) from error
    limits.learn(caller.meter, month, stored)
    return json_response(200, msgspec.json.encode(_usage_body(caller.meter, account, subscriptions)))


def _read_usage(accounts: AccountService, account_id: str, month: int) -> tuple[AccountRecord, int, int]:
    """The current account, its stored usage over all processes, and its number of subscriptions."""
    used = accounts.used(account_id, month)
    return accounts.account(account_id), used, accounts.subscriptions(account_id)


def _usage_body(meter: AccountLimits, account: AccountRecord, subscriptions: int) -> dict[str, Any]:
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
