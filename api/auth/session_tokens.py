"""Random tokens of the dashboard, for mailed links and browser sessions. Only digests are stored.

They have a prefix, so that logs can redact them (`api.common.redaction`). Does not belong here: API keys
(`api.auth.api_keys`).
"""

import re
import secrets
from typing import Final, Literal

TokenKind = Literal["link", "session", "visitor"]
_BYTES: Final = 32
_DIGITS: Final = re.compile(rf"[0-9a-f]{{{2 * _BYTES}}}")


def make_token(kind: TokenKind) -> str:
    """Creates a token of 256 random bits."""
    return f"firm_{kind}_{secrets.token_hex(_BYTES)}"


def is_token(kind: TokenKind, text: str) -> bool:
    """True if a text has the form of a token; anything else is rejected without a database query."""
    prefix = f"firm_{kind}_"
    return text.startswith(prefix) and _DIGITS.fullmatch(text, len(prefix)) is not None
