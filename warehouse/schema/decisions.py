"""A manual decision about two holders of one company, in the form used by the pipeline steps.

Does not belong here: author, time, reason and reversal of decisions (`warehouse.decisions`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from warehouse.schema.identifiers import PREFIX

SAME: Final = "same"
DIFFERENT: Final = "different"


@dataclass(frozen=True, slots=True)
class HolderDecision:
    """Whether a company's record `one` (by holder id) is the same as `other`: another record, or a company id."""

    company_id: str
    one: str
    other: str
    is_same: bool

    @property
    def has_company_side(self) -> bool:
        return self.other.startswith(f"{PREFIX}:")
