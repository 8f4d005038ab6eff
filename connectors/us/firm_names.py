"""Tells names of firms from names of persons, where EDGAR does not say which a filer is.

Does not belong here: the type of a holder by its code (`ownership.holder_types`).
"""

from __future__ import annotations

import re
from typing import Final

# words that are no surname or given name, unlike «Se», «Asa» and «Co»
_FIRM: Final = re.compile(
    r"\b(?:inc|incorporated|corp|corporation|company|companies|llc|l\.l\.c|llp|lllp|l\.l\.p|lp|l\.p|ltd|limited|plc|gmbh|"
    r"funds?|etf|holdings|partners|partnership|trust|foundation|management|advisors|advisers|capital|investments|"
    r"ventures|university|group|holding|associates|association|bancorp|bank\s+of|aktiengesellschaft)\b\.?(?!\w)",
    re.IGNORECASE,
)


def is_firm_name(name: str) -> bool:
    """Whether a name contains a mark that no person's name has."""
    return _FIRM.search(name) is not None
