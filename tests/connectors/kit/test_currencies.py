"""Which codes are currencies."""

from connectors.kit.currencies import CURRENCIES, is_currency
from tests.tables import check_cases


@check_cases(
    ("code", "is_known"),
    [
        *((code, True) for code in ("NOK", "SEK", "DKK", "EUR", "GBP", "USD", "ISK", "CHF", "CNY", "XDR")),
        *((code, True) for code in ("FIM", "DEM", "FRF", "EEK", "LVL", "LTL", "HRK", "IEP", "XEU", "SUR")),
        *((code, False) for code in ("NKR", "XYZ", "GBX", "RMB", "nok", "NOK ", "", "XXX", "XTS", "XAU")),
    ],
)
def test_is_currency_of_a_code_of_the_standard_is_true(code: str, is_known: bool) -> None:
    assert is_currency(code) is is_known


def test_currencies_are_three_letters_current_or_historic() -> None:
    assert all(len(code) == 3 and code.isascii() and code.isupper() for code in CURRENCIES.codes)
    assert set(CURRENCIES.columns["label"].values()) == {"current", "historic"}
