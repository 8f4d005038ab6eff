"""The one form in which e-mail addresses are known here, so that two spellings are one owner.

Does not belong here: whether an address takes mail, or whose it is (`api.dashboard.doors`).
"""

import re
from typing import Final

LONGEST: Final = 320
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


def known_as(written: str) -> str | None:
    """The address as accounts have it; None where it is none."""
    email = written.strip().lower()
    if len(email) > LONGEST or not email.isprintable() or not _EMAIL.fullmatch(email):
        return None
    return email
