"""Holder type by the legal form in a name; unknown without one.

Does not belong here: the identity of the holder.
"""

from __future__ import annotations

import re
from typing import Final

_FUND: Final = re.compile(
    r"\b(?:fund|funds|rahasto|rahastot|fond|fonden|fonder|sijoitusrahasto|sicav)\b", re.IGNORECASE
)
_STATE: Final = re.compile(
    r"\b(?:state of finland|suomen valtio|valtion|republic of|ministry|kingdom of)\b", re.IGNORECASE
)
_COMPANY: Final = re.compile(
    r"\b(?:oyj|oy|ab|abp|asa|as|a/s|plc|ltd|limited|llc|llp|lp|inc|incorporated|corp|corporation|company|co|gmbh|ag|se|"
    r"s\.?a\.?|s\.?à\s?r\.?l|n\.?v\.?|b\.?v\.?|ky|ry|osk|säätiö|yhtiö|vakuutusyhtiö|bank|pankki|group|holding|holdings)\b",
    re.IGNORECASE,
)


def holder_type(name: str) -> str:
    """Returns fund, state, company, or unknown: a name without a legal form may be a person's."""
    for pattern, kind in ((_STATE, "state"), (_FUND, "fund"), (_COMPANY, "company")):
        if pattern.search(name):
            return kind
    return "unknown"
