"""Keys never reach a log line: one pattern, applied to everything that is written.

Does not belong here: how lines are written (`api.access_log`, `api.logs`).
"""

import re
from typing import Final

# Also as a URL may spell it: `%5F` is `_`, once or several times encoded, and any character may be escaped.
_ESCAPE: Final = r"%(?:25)*[0-9A-Fa-f]{2}"
_KEY: Final = re.compile(
    rf"(firm)(?:_|%(?:25)*5F)(live|secret|public)(?:_|%(?:25)*5F)(?:\w|{_ESCAPE})+", re.IGNORECASE
)


def redact(text: str) -> str:
    """The text with every API key cut down to its kind."""
    if "%" in text or "firm" in text.casefold():
        return _KEY.sub(_kind, text)
    return text


def _kind(found: re.Match[str]) -> str:
    return f"firm_{found[2].lower()}_[redacted]"
