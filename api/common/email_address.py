"""Normalises e-mail addresses, so that two spellings are one owner.

Does not belong here: whether an address receives mail, or proof of ownership (`api.dashboard.sessions`).
"""

import re
from typing import Final

LONGEST: Final = 320
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


def normalise_email(text: str) -> str | None:
    """The normalised address; None if it is not an e-mail address."""
    email = text.strip().lower()
    if len(email) > LONGEST or not email.isprintable() or not _EMAIL.fullmatch(email):
        return None
    return email
