"""The account's usage of the current month (docs/contract/contract.md 4.9); not counted."""

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

import msgspec
from litestar import get
from sqlalchemy.exc import SQLAlchemyError

from api.accounts.repository import AccountRecord
from api.accounts.service import AccountService
from api.http.context import SECRET_KEY, PlainRequest
from api.http.responses import HttpResponse, json_response
from api.openapi.examples import companies
from api.openapi.operation import Operation
from api.openapi.response_headers import OF_ACCOUNT
from api.problems.problem import service_unavailable_problem
from api.rate_limits.limiter import AccountLimits
from api.schemas import declare
from api.schemas.declare import INT64, ResponseModel

_RETRY_AFTER: Final = 2


class Usage(ResponseModel):
    """Usage of the account in the current month."""

    tier: str = declare.text(60, "Name of the tier.", pattern="^[a-z][a-z0-9_-]*$")
    period_start: datetime = declare.instant("Start of the month, UTC.")
    period_end: datetime = declare.instant("Start of the next month.")
    requests_used: int = declare.integer(0, INT64, "Requests counted so far.")
    requests_limit: int = declare.integer(0, INT64, "Requests allowed in the month.")
    requests_remaining: int = declare.integer(0, INT64, "Never below 0.")
    burst_per_second: int = declare.integer(0, 1_000_000, "Sustained requests per second.")
    burst_capacity: int = declare.integer(0, 1_000_000, "Burst capacity in requests.")
    webhooks_enabled: bool = declare.boolean("Whether the tier has webhooks.")
    subscriptions_used: int = declare.integer(0, 1_000_000, "Current number of webhook subscriptions.")
    subscriptions_limit: int | None = declare.integer(0, 1_000_000, "Allowed number of webhook subscriptions.")
    trial_ends_at: datetime | None = declare.instant("End of the trial; null without a trial.")
    account_status: str = declare.open_word(("active", "payment_required", "suspended"), "Status of the account.")


@get(
    "/api/v1/usage",
    policy=replace(SECRET_KEY, is_counted=False),
    summary="Get usage",
    description="Usage and limits of the account in the current month. Secret keys only. Not "
    "counted against the quota.",
    operation=Operation(Usage, OF_ACCOUNT, companies.USAGE),
)
async def get_usage(request: PlainRequest) -> HttpResponse:
    context = request.context
    caller = context.required_caller
    limits, month = context.services.rate_limiter, context.services.rate_limiter.current_month().number
    try:
        account, stored, subscriptions = await asyncio.to_thread(
            _read_usage, context.services.account_service, caller.account_id, month
        )
    except SQLAlchemyError as error:
        raise service_unavailable_problem("Usage cannot be read at the moment.", _RETRY_AFTER) from error
    limits.set_stored_count(caller.account_limits, month, stored)
    return json_response(200, msgspec.json.encode(_usage_body(caller.account_limits, account, subscriptions)))


def _read_usage(accounts: AccountService, account_id: str, month: int) -> tuple[AccountRecord, int, int]:
    """The current account, its stored usage over all processes, and its number of subscriptions."""
    used = accounts.used(account_id, month)
    return accounts.account(account_id), used, accounts.subscriptions(account_id)


def _usage_body(meter: AccountLimits, account: AccountRecord, subscriptions: int) -> dict[str, Any]:
    tier, used = meter.tier, meter.count.used
    return Usage.members(
        tier,
        tier=tier.name,
        period_start=meter.month.start,
        period_end=meter.month.end,
        requests_used=used,
        requests_limit=tier.monthly_requests,
        requests_remaining=max(0, tier.monthly_requests - used),
        webhooks_enabled=tier.webhooks,
        subscriptions_used=subscriptions,
        subscriptions_limit=tier.subscriptions,
        trial_ends_at=account.trial_ends_at,
        account_status=account.status,
    )
