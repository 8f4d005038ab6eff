"""Countries as ESMA's registers write them: names or codes, of the European Economic Area.

Does not belong here: markets (`warehouse.schema.identifiers`).
"""

from __future__ import annotations

from typing import Final

_NAMES: Final = {
    "austria": "AT", "belgium": "BE", "bulgaria": "BG", "croatia": "HR", "cyprus": "CY", "czech republic": "CZ",
    "czechia": "CZ", "denmark": "DK", "estonia": "EE", "finland": "FI", "france": "FR", "germany": "DE",
    "greece": "GR", "hungary": "HU", "iceland": "IS", "ireland": "IE", "italy": "IT", "latvia": "LV",
    "liechtenstein": "LI", "lithuania": "LT", "luxembourg": "LU", "malta": "MT", "netherlands": "NL",
    "the netherlands": "NL", "norway": "NO", "poland": "PL", "portugal": "PT", "romania": "RO", "slovakia": "SK",
    "slovak republic": "SK", "slovenia": "SI", "spain": "ES", "sweden": "SE", "united kingdom": "GB",
}  # fmt: skip
_CODES: Final = frozenset(_NAMES.values()) | {"EL", "UK"}
_ISO: Final = {"EL": "GR", "UK": "GB"}


def country_code(written: str | None) -> str | None:
    """ISO 3166-1 alpha-2 of a country as written; None if absent or unknown."""
    text = (written or "").strip()
    if text.upper() in _CODES:
        return _ISO.get(text.upper(), text.upper())
    return _NAMES.get(text.lower())
