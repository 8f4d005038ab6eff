"""Who a signed-in browser is to the API: its account, with the account's limits and count.

See docs/contract/keys-and-limits.md 3.3. No key is involved, so none stands in a page. Does not belong here: sessions
(`api.dashboard.sessions`).
"""

import asyncio

from api.dashboard.html_forms import unavailable_without_database
from api.dashboard.routing import PageRequest
from api.http.authenticator import Caller


async def session_caller(page: PageRequest) -> Caller:
    """The caller for requests that the page makes; 503 if the account's count cannot be read."""
    service, session, account = page.services, page.required_session.session, page.required_session.account
    month = service.rate_limiter.current_month().number
    with unavailable_without_database("Usage is temporarily unavailable."):
        used = await asyncio.to_thread(service.account_service.used, account.account_id, month)
    return Caller(
        account.account_id,
        session.session_id,
        "live",
        account.status,
        (),
        session.expires_at,
        service.rate_limiter.limits_of_account(account.account_id, account.tier, month, used),
    )
