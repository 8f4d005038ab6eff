"""Code lists of EDGAR: places (states, provinces, countries), which are not ISO codes, and SIC industries.

Does not belong here: reading the SIC list of a file (`sic`), or what a code means for a profile
(`profile.companies`).
"""

from __future__ import annotations

from typing import Final

from connectors.kit import code_lists

PLACES: Final = code_lists.load_code_list(
    "connectors.us", "places"
)  # with ISO 3166-1 `country` and ISO 3166-2 `subdivision`
INDUSTRIES: Final = code_lists.load_code_list("connectors.us", "sic")
