"""Code lists of the market (`codes/*.csv`): municipalities with their regions, statuses, legal forms.

Does not belong here: labels that records carry (industry, legal form), which are used as delivered.
"""

from __future__ import annotations

from typing import Final

from connectors.kit.code_lists import load_code_list

MUNICIPALITIES: Final = load_code_list("connectors.dk", "municipalities")
STATUSES: Final = load_code_list("connectors.dk", "statuses")  # by the register's word in lower case
LEGAL_FORMS: Final = load_code_list("connectors.dk", "legal_forms")
SOLE_TRADERS: Final = ("10",)  # carry their owner's name
