"""Tokens of the dashboard: what a mailed link and a browser's session show. Stored as digests alone.

They have a prefix, so that logs know them (`api.redact`). Does not belong here: API keys (`api.keys`).
"""

import re
import secrets
from typing import Final, Literal

TokenKind = Literal["link", "session", "visitor"]
_BYTES: Final = 32
_DIGITS: Final = re.compile(rf"[0-9a-f]{{{2 * _BYTES}}}")


def make_token(kind: TokenKind) -> str:
    """A new token of 256 random bits."""
    return f"firm_{kind}_{secrets.token_hex(_BYTES)}"


def is_token(kind: TokenKind, text: str) -> bool:
    """Whether a text is a token by its form; databases are not asked for anything else."""
    prefix = f"firm_{kind}_"
    return text.startswith(prefix) and _DIGITS.fullmatch(text, len(prefix)) is not None
