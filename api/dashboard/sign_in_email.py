"""The sign-in mail: the same text whether there is an account or not.

Does not belong here: sending it (`api.dashboard.sign_in_mailer`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from api.email.webhook_notices import format_span

PATH: Final = "/dashboard/sign-in/link"
SUBJECT: Final = "Your link to sign in to Firmdata"


@dataclass(frozen=True, slots=True)
class SignInMail:
    """One mail; kept in memory only, never stored."""

    mail_id: str
    recipient: str
    subject: str
    body: str
    created_at: datetime


def sign_in_url(token: str, public_url: str) -> str:
    """The sign-in link: it opens a page with a button, because mail programs open links too."""
    return f"{public_url}{PATH}?token={token}"


def build_sign_in_mail(
    mail_id: str, recipient: str, link: str, created_at: datetime, lifetime: timedelta
) -> SignInMail:
    body = (
        "A sign-in to Firmdata was requested for this address. To sign in, open this link and\n"
        "press the button there:\n"
        "\n"
        f"{link}\n"
        "\n"
        f"The link works once, within {format_span(lifetime)}. "
        "If this address has no account yet, one is created.\n"
        "\n"
        "If you did not request this, ignore this e-mail: signing in requires the link.\n"
    )
    return SignInMail(mail_id, recipient, SUBJECT, body, created_at)
