"""Links into the dashboard for who is at the machine: the owner of an account gets them by mail.

Does not belong here: what a link does (`api.dashboard`).
"""

from __future__ import annotations

from datetime import timedelta

from firm.compose import Installation


def sign_in_link(installation: Installation, account: str, lifetime: timedelta) -> str:
    """A link that signs an account (e-mail or id) in once, within its lifetime; AccountError without one."""
    from api.dashboard.letters import address_of

    with installation.accounts() as accounts:
        return address_of(accounts.sign_in_token(account, lifetime), installation.settings.public_url)
