"""Code lists of the registers (`codes/*.csv`) and the industry classification a snapshot uses.

Does not belong here: labels contained in API responses, which are used as delivered.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from connectors.kit.code_lists import load_code_list

LEGAL_FORMS: Final = load_code_list("connectors.se", "legal_forms")
DEREGISTRATIONS: Final = load_code_list("connectors.se", "deregistrations")
PROCEEDINGS: Final = load_code_list("connectors.se", "proceedings")
STATISTICAL_FORMS: Final = load_code_list("connectors.se", "statistical_forms")
COUNTIES: Final = load_code_list("connectors.se", "counties")
MUNICIPALITIES: Final = load_code_list("connectors.se", "municipalities")
SNI2007: Final = load_code_list("connectors.se", "sni2007")

OLD_CODES: Final = "SNI2007"
NEW_CODES: Final = "SNI2025"
_SWITCHED: Final = 2026  # first year of snapshots with SNI 2025 (docs/formats/se.md 7.1)


def industry_scheme(observed_at: datetime) -> str:
    """Version of the industry codes in a snapshot; records do not state it."""
    return OLD_CODES if observed_at.year < _SWITCHED else NEW_CODES
