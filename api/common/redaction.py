"""Redacts keys, tokens, webhook secrets and personal identity numbers in log lines, by pattern.

Does not belong here: writing log lines (`api.observability.logging`).
"""

import re
from typing import Final

from warehouse.schema.markets import MARKETS

_KINDS: Final = ("live", "secret", "public", "link", "session", "visitor")
_ESCAPED: Final = "%(?:25)*"  # percent-encoded once or several times


def _escaped_pattern(word: str) -> str:
    """Pattern for a word in a URL, where any character may be percent-encoded."""
    return "".join(f"(?:{letter}|{_ESCAPED}(?:{ord(letter):02x}|{ord(letter.upper()):02x}))" for letter in word)


_KEY: Final = re.compile(
    rf"{_escaped_pattern('firm_')}(?:"
    rf"{'|'.join(f'(?P<{kind}>{_escaped_pattern(kind)})' for kind in _KINDS)}){_escaped_pattern('_')}"
    rf"(?:\w|{_ESCAPED}[0-9a-f]{{2}})+",
    re.IGNORECASE,
)
_SECRET: Final = re.compile(rf"{_escaped_pattern('whsec_')}(?:[\w+/=-]|{_ESCAPED}[0-9a-f]{{2}})+", re.IGNORECASE)
# Personal identity numbers of the markets. Few company numbers have a valid month at their position.
_PERSONAL: Final = re.compile(
    rf"(?<![\w-])(?:{'|'.join(filter(None, (market.personal_number for market in MARKETS.values())))})(?![\w-])"
)


def redact(text: str) -> str:
    """Replaces every key, token and webhook secret by its kind, and removes personal identity numbers."""
    folded, is_escaped = text.casefold(), "%" in text
    if is_escaped or "firm" in folded:
        text = _KEY.sub(lambda found: f"firm_{found.lastgroup}_[redacted]", text)
    if is_escaped or "whsec" in folded:
        text = _SECRET.sub("whsec_[redacted]", text)
    return _PERSONAL.sub("[number]", text)
