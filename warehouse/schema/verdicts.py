"""What a person has judged of two holders of one company, as the steps need it.

Does not belong here: who judged, when and why, and what has been reversed (`warehouse.judgements`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from warehouse.schema.identifiers import PREFIX

SAME: Final = "same"
DIFFERENT: Final = "different"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a company's record `one` (its own holder id) is `other`: another record, or a company by id."""

    company_id: str
    one: str
    other: str
    is_same: bool

    @property
    def names_company(self) -> bool:
        return self.other.startswith(f"{PREFIX}:")
