"""Transforms of all versions of the registry: what each accepts, and that nothing else gives a value."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.kit.xbrl import transforms
from connectors.kit.xbrl.transforms import UnacceptedTextError, parse_number, text_value
from tests.tables import check_cases


@check_cases(
    ("name", "text", "value"),
    [
        ("numcommadot", "1,234,567.89", "1234567.89"),  # the comma is between thousands
        ("numcommadot", "1234", "1234"),
        ("numdotcomma", "1.234,5", "1234.5"),
        ("numspacedot", "1 234 567.5", "1234567.5"),
        ("numspacecomma", "1\u00a0234,5", "1234.5"),
        ("numcomma", "1234,5", "1234.5"),
        ("numdash", "-", "0"),
        ("numdotdecimal", "1,234.50", "1234.50"),
        ("numdotdecimal", " 1 234 ", "1234"),
        ("numcommadecimal", "1.234,50", "1234.50"),
        ("numcommadecimal", "2 650 000", "2650000"),
        ("numdotdecimalin", "1,00,00,000.25", "10000000.25"),
        ("numunitdecimal", "12,345 dollars 6 cents", "12345.06"),
        ("numunitdecimalin", "1,00,000 rupees 50 paise", "100000.50"),
        ("numunitdecimal", "５ドル２５セント", "5.25"),
        ("zerodash", "–", "0"),
        ("zerodash", "—", "0"),
        ("num-dot-decimal", "1,5", "15"),  # registry four takes any grouping
        ("num-dot-decimal", ".5", "0.5"),
        ("num-comma-decimal", "1.234,5", "1234.5"),
        ("num-dot-decimal-apos", "1'234.5", "1234.5"),
        ("num-comma-decimal-apos", "1’234,5", "1234.5"),
        ("num-unit-decimal", "3 euros 4 cents", "3.04"),
        ("num-unit-decimal-apos", "1'000 francs 5 centimes", "1000.05"),
        ("fixed-zero", "nil", "0"),
        (None, "1234", "1234"),
        (None, "1,234", "1234"),
        (None, "-5", "-5"),
        (None, ".25", "0.25"),
    ],
)
def test_numbers(name: str | None, text: str, value: str) -> None:
    assert parse_number(name, text) == Decimal(value)


@check_cases(
    ("name", "text"),
    [
        ("numdotdecimal", "(1,234)"),
        ("numdotdecimal", "-1,234"),
        ("numdotdecimal", "£1,234"),
        ("numdotdecimal", "1,23"),
        ("numdotdecimal", "1.234,5"),
        ("numcommadecimal", "1,234.5"),
        ("numcommadot", "1 234 x"),
        ("numdotdecimal", ""),
        ("numdotdecimal", "-"),
        ("numspacecomma", "1,234.5"),
        ("num-dot-decimal", ""),
        ("num-dot-decimal", "1.2.3"),
        ("zerodash", "0"),
        ("zerodash", ""),
        ("numdash", "nil"),
        ("numunitdecimal", "12"),
        (None, "(5)"),
        (None, "1.234,5"),
        (None, "Total: 3"),
        (None, "1e5"),
        ("numdotdecimal", "1" * 61),
        ("datelonguk", "30 September 2017"),
    ],
)
def test_what_a_transform_does_not_accept_has_no_value(name: str | None, text: str) -> None:
    with pytest.raises(UnacceptedTextError):
        parse_number(name, text)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("numdotdecimalblahblah", "1,234", "1234"),  # a known name with something behind it
        ("somethingelse", "1234", "1234"),
        ("somethingelse", "1,234.5", "1234.5"),
        ("somethingelse", "1,234,567", "1234567"),
    ],
)
def test_unknown_names_count_where_all_would_read_alike(name: str, text: str, value: str) -> None:
    assert not transforms.is_known_transform(name)
    assert parse_number(name, text) == Decimal(value)


@pytest.mark.parametrize("text", ["1,234", "1.234", "1 234", "1.234,5"])
def test_unknown_names_count_nowhere_else(text: str) -> None:
    with pytest.raises(UnacceptedTextError):
        parse_number("somethingelse", text)


@check_cases(
    ("name", "text", "value"),
    [
        ("datelonguk", "30 September 2017", "2017-09-30"),
        ("datelonguk", "30th September, 2017", "2017-09-30"),
        ("datelonguk", "30September2017", "2017-09-30"),
        ("datelonguk", "1 Septmber 2017", "2017-09-01"),
        ("dateshortuk", "30 Sep 17", "2017-09-30"),
        ("datelongus", "September 30, 2017", "2017-09-30"),
        ("dateslasheu", "31/03/2018", "2018-03-31"),
        ("dateslashus", "03/31/18", "2018-03-31"),
        ("datedoteu", "31.03.2018", "2018-03-31"),
        ("datelongdaymonthuk", "31 March", "--03-31"),
        ("dateslashdaymontheu", "31/3", "--03-31"),
        ("datelongyearmonth", "2018 March", "2018-03"),
        ("datedaymonthyear", "31.3.18", "2018-03-31"),
        ("datedaymonthyearen", "31 March 2018", "2018-03-31"),
        ("datemonthdayyearen", "March 31, 2018", "2018-03-31"),
        ("datemonthyearen", "March 2018", "2018-03"),
        ("datedaymonth", "29.2", "--02-29"),
        ("datemonthyear", "3.2018", "2018-03"),
        ("dateyearmonthday", "2018-3-31", "2018-03-31"),
        ("datedaymonthyeardk", "31 december 2017", "2017-12-31"),
        ("date-day-monthname-year-sv", "1 maj 2020", "2020-05-01"),
        ("date-day-monthname-year-fi", "31. joulukuuta 2021", "2021-12-31"),
        ("date-day-monthname-year-no", "31. desember 2021", "2021-12-31"),
        ("date-day-monthname-year-cs", "3. července 2020", "2020-07-03"),
        ("date-day-monthname-year-cs", "3. června 2020", "2020-06-03"),
        ("date-day-monthname-year-el", "31 Μαΐου 2019", "2019-05-31"),
        ("date-day-monthname-year-cy", "1 Mawrth 2022", "2022-03-01"),
        ("date-year-monthname-day-hu", "2019. december 31.", "2019-12-31"),
        ("date-day-monthroman-year", "3.IX.2019", "2019-09-03"),
        ("date-month-day-year", "3/31/2020", "2020-03-31"),
        ("datedaymonthyearin", "३१ मार्च २०१८", "2018-03-31"),
        ("dateyearmonthdaycjk", "2018年3月31日", "2018-03-31"),
        ("dateerayearmonthdayjp", "平成元年1月8日", "1989-01-08"),
        ("date-jpn-era-year-month", "令和2年4月", "2020-04"),
        ("calindaymonthyear", "11 Pausha 1921", "2000-01-01"),
        ("date-ind-day-monthname-year-hi", "1 Chaitra 1938", "2016-03-21"),
        ("booleantrue", "", "true"),
        ("booleanfalse", "the company was not dormant", "false"),
        ("fixed-true", "x", "true"),
        ("nocontent", "anything", ""),
        ("fixed-empty", "anything", ""),
        ("numdotdecimal", "1,234", "1234"),
        ("whoknows", "2018-03-31", "2018-03-31"),
        ("whoknows", "31 March 2018", "2018-03-31"),
        (None, " as it is ", " as it is "),
    ],
)
def test_texts(name: str | None, text: str, value: str) -> None:
    assert text_value(name, text) == value


@check_cases(
    ("name", "text"),
    [
        ("datelonguk", "31 February 2018"),
        ("datelonguk", "2018"),
        ("dateslasheu", "31-03"),
        ("dateslasheu", "03/31/2018"),
        ("datedaymonthyear", "31 3"),
        ("date-day-monthroman-year", "3.XIII.2019"),
        ("calindaymonthyear", "31 Pausha 1921"),
        ("dateerayearmonthdayjp", "1989年1月8日"),
        ("whoknows", "03/04/18"),
        ("whoknows", "soon"),
    ],
)
def test_texts_that_are_not_accepted(name: str, text: str) -> None:
    with pytest.raises(UnacceptedTextError):
        text_value(name, text)


@given(st.sampled_from(sorted(transforms.DATES) + sorted(transforms.NUMBERS)), st.text(max_size=80))
def test_any_text_is_accepted_or_not_and_nothing_else_happens(name: str, text: str) -> None:
    for transform in (parse_number, text_value):
        try:
            transform(name, text)
        except UnacceptedTextError:
            continue


@given(st.integers(min_value=0, max_value=10**15))
def test_grouped_numbers_read_back(value: int) -> None:
    text = f"{value:,}"
    assert parse_number("numdotdecimal", text) == value
    assert parse_number("numcommadecimal", text.replace(",", ".")) == value
    assert parse_number("numspacecomma", text.replace(",", " ")) == value
    assert parse_number(None, text) == value
