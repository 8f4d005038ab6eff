"""Codes of currencies (ISO 4217): those in use, and the withdrawn ones that old accounts still state.

`codes/currencies.csv` is written by hand from lists one (current) and three (historic) of the standard's maintenance
agency (https://www.six-group.com/en/products-services/financial-information/data-standards.html), as of autumn 2026.
Codes in which no accounts are kept are left out: those of metals, of bond units, for tests, and for no currency. Does
not belong here: how a source writes a currency, or which amounts are in it.
"""

from __future__ import annotations

from typing import Final

from connectors.kit.code_lists import CodeList, load_code_list

CURRENCIES: Final[CodeList] = load_code_list("connectors.kit", "currencies")


def is_currency(code: str) -> bool:
    """True for the code of a currency as the standard writes it: NOK, DEM; not NKR, nok."""
    return code in CURRENCIES
