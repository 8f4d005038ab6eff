"""The home page: the tier, its limits, and the usage of this month, day by day."""

import asyncio

from sqlalchemy.exc import SQLAlchemyError

from api.accounts import Accounts
from api.answers import Answer
from api.dashboard.days import by_day, chart_of
from api.dashboard.pages import HOME, Visit, page
from api.problems import unavailable

_RETRY_AFTER = 2


@page(HOME)
async def show_usage(visit: Visit) -> Answer:
    service, account = visit.call.service, visit.known.account
    month, tier = service.limits.month(), service.settings.tiers.named(account.tier)
    try:
        used, marks, subscriptions = await asyncio.to_thread(
            _ask, service.accounts, account.account_id, month.number
        )
    except SQLAlchemyError as error:
        raise unavailable("Usage is temporarily unavailable.", _RETRY_AFTER) from error
    days = by_day(marks, used, service.clock.today())
    return visit.render(
        "usage.html",
        tier=tier,
        month=month,
        used=used,
        left=max(0, tier.monthly_requests - used),
        subscriptions=subscriptions,
        days=days,
        chart=chart_of(days),
    )


def _ask(accounts: Accounts, account_id: str, month: int) -> tuple[int, list[tuple[int, int]], int]:
    """Reads the days first: a count newer than its marks is then assigned to the last day."""
    days = accounts.days(account_id, month)
    return accounts.used(account_id, month), days, accounts.subscriptions(account_id)
