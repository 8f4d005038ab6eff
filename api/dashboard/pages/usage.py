"""The home page: the tier, its limits, and the usage of this month, day by day."""

import asyncio

from sqlalchemy.exc import SQLAlchemyError

from api.accounts.service import AccountService
from api.dashboard.routing import HOME, PageRequest, dashboard_page
from api.dashboard.usage_chart import build_usage_chart, daily_usage
from api.http.responses import HttpResponse
from api.problems.problem import service_unavailable_problem

_RETRY_AFTER = 2


@dashboard_page(HOME)
async def show_usage(request: PageRequest) -> HttpResponse:
    service, account = request.context.services, request.required_session.account
    month, tier = service.rate_limiter.current_month(), service.settings.tiers.tier_by_name(account.tier)
    try:
        used, marks, subscriptions = await asyncio.to_thread(
            _read_usage, service.account_service, account.account_id, month.number
        )
    except SQLAlchemyError as error:
        raise service_unavailable_problem("Usage is temporarily unavailable.", _RETRY_AFTER) from error
    days = daily_usage(marks, used, service.clock.today())
    return request.render(
        "usage.html",
        tier=tier,
        month=month,
        used=used,
        left=max(0, tier.monthly_requests - used),
        subscriptions=subscriptions,
        days=days,
        chart=build_usage_chart(days),
    )


def _read_usage(accounts: AccountService, account_id: str, month: int) -> tuple[int, list[tuple[int, int]], int]:
    """Reads the days first: a count newer than its marks is then assigned to the last day."""
    days = accounts.days(account_id, month)
    return accounts.used(account_id, month), days, accounts.subscriptions(account_id)
