"""Texts as their readers see them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.kit.visible_text import visible_text
from connectors.news import categories, text
from connectors.regulators import feeds


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("dela\u030ars\u00adrapport", "del\u00e5rsrapport"),
        ("\ufeffAcme\u200b AB \u200e", "Acme AB"),
        ("\u202eAcme\u202c\x00 \u2067AB\u2069", "Acme AB"),
        ("a\u00a0\u200b\u2009b\u2028c", "a b c"),
        ("\u200b\u200e", ""),
        ("\u2113 \u00bd \ufb01 CO\u2082", "\u2113 \u00bd \ufb01 CO\u2082"),  # other signs stay as they are
    ],
)
def test_visible_text_has_composed_letters_and_no_hidden_signs(written: str, seen: str) -> None:
    assert visible_text(written) == seen


@given(st.text(max_size=60))
def test_visible_text_of_what_is_visible_is_the_same(written: str) -> None:
    seen = visible_text(written)
    assert visible_text(seen) == seen


def test_headlines_of_wires_and_authorities_are_visible_texts() -> None:
    title = text.to_plain_text("Dela\u030ars&shy;rapport &amp; &#8203;utsikter")
    assert title == "Del\u00e5rsrapport & utsikter"
    assert categories.map_categories([], title) == ["earnings"]
    assert text.to_plain_text("&#8206;") is None
    assert feeds.to_plain_text("Anma\u0308rkning f\u00f6r Exempel\u00ad AB") == "Anm\u00e4rkning f\u00f6r Exempel AB"
