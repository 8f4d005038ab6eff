"""Who a signed-in browser is to the API: its account, with the account's limits and count.

See docs/contract/keys-and-limits.md 3.3. No key is involved, so none stands in a page. Does not belong here: sessions
(`api.dashboard.sessions`).
"""

import asyncio

from api.auth.api_keys import KeyRecord
from api.dashboard.html_forms import unavailable_without_database
from api.dashboard.routing import PageRequest
from api.http.authenticator import Caller


async def session_caller(page: PageRequest) -> Caller:
    """The caller for requests that the page makes; 503 if the account's count cannot be read."""
    service, session, account = page.context.services, page.required_session.session, page.required_session.account
    month = service.rate_limiter.current_month().number
    with unavailable_without_database("Usage is temporarily unavailable."):
        used = await asyncio.to_thread(service.account_service.used, account.account_id, month)
    record = KeyRecord(
        key_id=session.session_id,
        account_id=account.account_id,
        kind="live",
        label=None,
        shown_prefix="",
        shown_last="",
        domains=(),
        created_at=session.created_at,
        expires_at=session.expires_at,
        revoked_at=None,
        last_used_at=None,
        tier=account.tier,
        account_status=account.status,
        month=month,
        used=used,
    )
    return Caller.of(record, service.rate_limiter.limits_of_key(record))
