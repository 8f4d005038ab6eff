"""The mail with a link to sign in: the same words whether there is an account or not.

Does not belong here: how it is sent (`api.dashboard.postman`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from api.webhooks.notices import span_of

PATH: Final = "/dashboard/sign-in/link"
SUBJECT: Final = "Your link to sign in to Firmdata"


@dataclass(frozen=True, slots=True)
class SignInLetter:
    """One mail; it is nowhere but here and on its way."""

    mail_id: str
    recipient: str
    subject: str
    body: str
    created_at: datetime


def address_of(token: str, public_url: str) -> str:
    """The link that signs in: it opens a page with a button, for programs open links in mails too."""
    return f"{public_url}{PATH}?token={token}"


def sign_in_letter(
    mail_id: str, recipient: str, link: str, created_at: datetime, lifetime: timedelta
) -> SignInLetter:
    body = (
        "Somebody, most likely you, asked to sign in to Firmdata with this address. Open this link and\n"
        "press the button there:\n"
        "\n"
        f"{link}\n"
        "\n"
        f"It works once, within {span_of(lifetime)}. If there is no account for this address yet, it makes one.\n"
        "\n"
        "If it was not you, do nothing: without the link nobody can sign in.\n"
    )
    return SignInLetter(mail_id, recipient, SUBJECT, body, created_at)
