"""Sign-in links to the dashboard for an operator; account owners get them by mail.

Does not belong here: handling of a link (`api.dashboard`).
"""

from __future__ import annotations

from datetime import timedelta

from firm.bootstrap import Installation


def sign_in_link(installation: Installation, account: str, lifetime: timedelta) -> str:
    """Creates a one-time sign-in link for an account (e-mail or id); raises AccountError if unknown."""
    from api.dashboard.sign_in_email import sign_in_url

    with installation.accounts() as accounts:
        return sign_in_url(accounts.sign_in_token(account, lifetime), installation.settings.public_url)
