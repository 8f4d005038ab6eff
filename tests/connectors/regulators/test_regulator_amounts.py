"""Amounts of money in headlines of four languages."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.regulators.amounts import parse_amount, parse_number
from tests.tables import check_cases

AMOUNTS = [
    ("SE", "SEK 1,2 miljoner", 1_200_000, "SEK"),
    ("SE", "en sanktionsavgift på 1 500 000 kronor", 1_500_000, "SEK"),
    ("SE", "1\u00a0500\u00a0000 kr", 1_500_000, "SEK"),
    ("SE", "5 MSEK", 5_000_000, "SEK"),
    ("SE", "1,5 mnkr", 1_500_000, "SEK"),
    ("SE", "50 mkr", 50_000_000, "SEK"),
    ("SE", "850 tkr", 850_000, "SEK"),
    ("SE", "en miljon, 2 miljarder kronor", 2_000_000_000, "SEK"),
    ("NO", "kr 1.500.000", 1_500_000, "NOK"),
    ("NO", "30 millioner kroner", 30_000_000, "NOK"),
    ("NO", "NOK 900 000", 900_000, "NOK"),
    ("FI", "200 000 euroa", 200_000, "EUR"),
    ("FI", "1,2 miljoonaa euroa", 1_200_000, "EUR"),
    ("FI", "EUR 20 000", 20_000, "EUR"),
    ("FI", "EUR 20,000", 20_000, "EUR"),
    ("UK", "£27,766,200", 27_766_200, "GBP"),
    ("UK", "£8.5m", 8_500_000, "GBP"),
    ("UK", "£1,234.56", 1_235, "GBP"),
    ("UK", "fined £1.25m; £1.25m in all", 1_250_000, "GBP"),
    ("US", "to Pay $1.5 Million", 1_500_000, "USD"),
    ("US", "$250", 250, "USD"),
    ("US", "$5MM", 5_000_000, "USD"),
    ("US", "$5K", 5_000, "USD"),
    ("US", "$1.5 trillion", 1_500_000_000_000, "USD"),
    ("DK", "1 mio. kr.", 1_000_000, "DKK"),
    ("SE", "1,5 mdr kronor", 1_500_000_000, "SEK"),
    ("UK", "fined £5 mln", 5_000_000, "GBP"),
    ("NO", "kr. 250.000,-", 250_000, "NOK"),
    ("SE", "100kr", 100, "SEK"),
    ("UK", "£1,234 million", 1_234_000_000, "GBP"),
    ("SE", "1,234 miljoner kronor", 1_234_000, "SEK"),
    ("UK", "fined £5m to settle", 5_000_000, "GBP"),
    ("US", "US$2 billion", 2_000_000_000, "USD"),
    ("US", "a $5-million penalty", 5_000_000, "USD"),
    ("UK", "fined £5m plus costs, for each of its failings", 5_000_000, "GBP"),
    ("SE", "50 000 kronor per faktura", 50_000, "SEK"),
]
NONE = [
    ("UK", "£1m and £2m"),  # nothing says which is the fine
    ("UK", "fined in 2021 under section 91"),
    ("SE", "mellan 2019 och 2021"),
    ("US", "A$5 million"),  # another country's dollars
    ("US", "$0"),
    ("US", "$9999999999 billion"),
    ("UK", "£1,23,4"),
    ("UK", "£10-20 million"),  # ranges
    ("UK", "£5–6m"),
    ("UK", "£1.2m - £1.5m"),
    ("US", "1 to 2 million dollars"),
    ("SE", "1 – 2 miljoner kronor"),
    ("NO", "mellom 2 og 3 millioner kroner"),
    ("SE", "10 miljoner 500 tusen kronor"),
    ("US", "Over $10 Million"),  # about so much
    ("UK", "nearly £5m"),
    ("NO", "ca. 5 mill. kr"),
    ("US", "to pay $.5 million"),  # not five millions
    ("UK", "fined £5 milion"),
    ("UK", "£5 hundred thousand"),
    ("UK", "two fines of £1 million"),
    ("UK", "£5x"),  # a scale that nobody knows
    ("UK", "£1·5 million"),  # a sign between digits that is none of ours: not one pound
    ("UK", "£1:5 million"),
    ("SE", "1.234 miljoner kronor"),  # a sign of another language than the words
    ("SE", "SEK 1,234 million"),
    ("UK", ""),
    ("SE", "sanktionsavgift på drygt 10 miljoner kronor"),
    ("SE", "knappt 10 mnkr"),
    ("SE", "närmare SEK 5 miljoner"),
    ("NO", "gebyr på drøye 5 millioner kroner"),
    ("NO", "rundt 5 mill. kroner"),
    ("FI", "runsaat 200 000 euroa"),
    ("UK", "fined approx. £5 million"),
    ("UK", "fined roughly £5m"),
    ("UK", "fined c. £5m"),
    ("UK", "in excess of £5 million"),
    ("UK", "~£5m"),
    ("UK", "£5 million or more"),
    ("US", "$5m+"),
    ("UK", "2 x £500,000"),  # one of several
    ("US", "CAD $5 million"),  # another country's dollars
    ("NO", "tvangsmulkt på 50 000 kroner per dag"),  # of each day
    ("NO", "NOK 50 000 pr. dag"),
    ("NO", "kr 50 000 for hver påbegynte uke"),
    ("SE", "vite om 100 000 kronor för varje dag"),
    ("SE", "5 000 kr/dag"),
    ("UK", "£5,000 a day"),
]


@check_cases(("country", "text", "value", "currency"), AMOUNTS)
def test_amounts(country: str, text: str, value: int, currency: str) -> None:
    assert parse_amount(country, text) == (value, currency)


@check_cases(("country", "text"), NONE)
def test_what_is_no_one_amount_is_unknown(country: str, text: str) -> None:
    assert parse_amount(country, text) == (None, None)


def test_the_first_text_that_names_any_counts() -> None:
    assert parse_amount("UK", "FCA fines Example £5m", "The fine of £7m was cut.") == (5_000_000, "GBP")
    assert parse_amount("UK", "FCA fines Example", None, "It is £7m.") == (7_000_000, "GBP")
    assert parse_amount("UK", "£5m or £6m", "It is £7m.") == (None, None)
    assert parse_amount("UK", "FCA fines Example nearly £5m", "It was fined £4,987,654.") == (4_987_654, "GBP")


@check_cases(
    ("written", "country", "scale", "due"),
    [
        ("1,234", "UK", None, "1234"),
        ("1,234", "SE", None, "1234"),
        ("1,234", "SE", "miljoner", "1.234"),
        ("1,234", "SE", "million", None),
        ("1.234", "SE", "miljoner", None),
        ("1.234", "UK", "million", "1.234"),
        ("1,234", "UK", "million", "1234"),
        ("1.234,5", "SE", None, "1234.5"),
        ("1,234.5", "SE", None, "1234.5"),
        ("1 234,50", "FI", None, "1234.50"),
        ("1,23,4", "UK", None, None),
    ],
)
def test_numbers(written: str, country: str, scale: str | None, due: str | None) -> None:
    assert parse_number(written, country, scale) == (None if due is None else Decimal(due))


@given(st.integers(1, 10**12))
def test_any_amount_is_read_as_it_is_written(value: int) -> None:
    assert parse_amount("UK", f"fined £{value:,} for") == (value, "GBP")
    spaced = f"{value:,}".replace(",", " ")
    assert parse_amount("SE", f"på {spaced} kronor") == (value, "SEK")


@given(st.text(max_size=300), st.sampled_from(["SE", "NO", "FI", "UK", "US"]))
def test_any_text_gives_an_amount_with_its_currency_or_neither(text: str, country: str) -> None:
    value, currency = parse_amount(country, text)
    assert (value is None) == (currency is None)


@pytest.mark.parametrize("text", ["1 " * 20_000, "£" * 20_000, "1,1" * 10_000, "SEK 1 000 " * 2_000])
def test_a_hostile_text_takes_no_time(text: str) -> None:
    parse_amount("SE", text)
