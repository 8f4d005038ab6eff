"""Keys never reach a log line: one pattern, applied to everything that is written.

Does not belong here: how lines are written (`api.access_log`, `api.logs`).
"""

import re
from typing import Final

_KINDS: Final = ("live", "secret", "public")
_ESCAPED: Final = "%(?:25)*"  # once or several times encoded


def _spelled(word: str) -> str:
    """A pattern for the word as a URL may spell it: any character may be escaped."""
    return "".join(
        f"(?:{letter}|{_ESCAPED}(?:{ord(letter):02x}|{ord(letter.upper()):02x}))" for letter in word
    )


_KEY: Final = re.compile(
    rf"{_spelled('firm_')}(?:{'|'.join(f'(?P<{kind}>{_spelled(kind)})' for kind in _KINDS)}){_spelled('_')}"
    rf"(?:\w|{_ESCAPED}[0-9a-f]{{2}})+",
    re.IGNORECASE,
)


def redact(text: str) -> str:
    """The text with every API key cut down to its kind."""
    if "%" in text or "firm" in text.casefold():
        return _KEY.sub(_kind, text)
    return text


def _kind(found: re.Match[str]) -> str:
    return f"firm_{found.lastgroup}_[redacted]"
