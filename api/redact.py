"""API keys and webhook secrets never reach a log line: two patterns, applied to everything that is written.

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
_SECRET: Final = re.compile(rf"{_spelled('whsec_')}(?:[\w+/=-]|{_ESCAPED}[0-9a-f]{{2}})+", re.IGNORECASE)


def redact(text: str) -> str:
    """The text with every API key and webhook secret cut down to its kind."""
    folded, is_escaped = text.casefold(), "%" in text
    if is_escaped or "firm" in folded:
        text = _KEY.sub(_kind, text)
    if is_escaped or "whsec" in folded:
        text = _SECRET.sub("whsec_[redacted]", text)
    return text


def _kind(found: re.Match[str]) -> str:
    return f"firm_{found.lastgroup}_[redacted]"
