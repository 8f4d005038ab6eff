"""Keys of symbols: one spelling of classes, preferred shares, warrants and units, and names in any order."""

from importlib import import_module

import polars as pl

from connectors.contract.dataset import ComputedKey
from connectors.news.link_keys import plain_symbols, symbol_and_word, symbol_and_words
from connectors.news.schema import wire_table
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


@check_cases(
    ("market", "author", "key"),
    [
        ("NO", "Brightwater ASA", "brightwater"),
        ("NO", "Brightwater", "brightwater"),
        ("NO", "Brightwater Ltd.", "brightwater"),  # abroad a form may be translated
        ("NO", "Brightwater AB", None),  # of another country
        ("NO", "Brightwater Oyj", None),
        ("NO", "Brightwater S.A.", None),
        ("NO", "Brightwater ANS", None),  # no company with shares
        ("DK", "Brightwater A/S", "brightwater"),
        ("DK", "Brightwater Inc.", "brightwater"),
        ("DK", "Brightwater ApS", None),
        ("DK", "Brightwater K/S", None),
        ("DK", "Brightwater GmbH", None),
    ],
)
def test_name_alone_with_the_form_of_another_company_is_no_key(market: str, author: str, key: str | None) -> None:
    """The register's companies that it could mean issue shares: a subsidiary here, or a namesake."""
    links = import_module(f"connectors.{market.lower()}.news").news_links(wire_table(market, "wires").name)
    item = pl.DataFrame({"author": [author], "lei": [None], "near": [True]}, schema_overrides={"lei": pl.String})
    assert isinstance(links[-1].key, ComputedKey)
    assert links[-1].key.of(item).to_list() == [key]
