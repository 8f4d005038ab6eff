"""Keys never reach a log line: one pattern, applied to everything that is written.

Does not belong here: how lines are written (`api.access_log`, `api.logs`).
"""

import re
from typing import Final

_KEY: Final = re.compile(r"firm_(live|secret|public)_\w+")
_MARK: Final = "firm_"


def redact(text: str) -> str:
    """The text with every API key cut down to its kind."""
    return _KEY.sub(r"firm_\1_[redacted]", text) if _MARK in text else text
