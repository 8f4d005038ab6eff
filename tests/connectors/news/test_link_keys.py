"""Keys of symbols: one spelling of classes, preferred shares, warrants and units, and names in any order."""

import polars as pl

from connectors.news.link_keys import plain_symbols, symbol_and_word, symbol_and_words
from tests.tables import check_cases


@check_cases(
    ("written", "plain"),
    [
        ("BRK.B", "BRK-B"),
        ("BRK B", "BRK-B"),
        ("brk-b", "BRK-B"),
        ("ACM.PRA", "ACM-PA"),
        ("ACM PR A", "ACM-PA"),
        ("ACM-PA", "ACM-PA"),
        ("ACM.PR", "ACM-P"),
        ("ACM.WS", "ACM-WT"),
        ("ACM WS A", "ACM-WTA"),
        ("ACM.U", "ACM-UN"),
        ("ACM.RT", "ACM-RI"),
        ("ACMU", "ACMU"),
        ("WS", "WS"),
    ],
)
def test_symbols_have_one_spelling(written: str, plain: str) -> None:
    assert plain_symbols(pl.Series([written])).to_list() == [plain]


def test_a_key_of_all_words_knows_no_order_and_one_of_the_first_does() -> None:
    names = pl.Series(["t rowe price", "price t rowe", "ww grainger", "grainger w w", None, "x"])
    symbols = pl.Series(["A", "A", "B", "B", "C", None])
    words = ["A|price rowe t", "A|price rowe t", "B|grainger ww", "B|grainger ww", None, None]
    assert symbol_and_words(symbols, names).to_list() == words
    assert symbol_and_word(symbols, names).to_list() == ["A|t", "A|price", "B|ww", "B|grainger", None, None]
