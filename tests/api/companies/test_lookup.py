"""Which company a path means, without a service: markets, spellings, and why a number is refused."""

import pytest

from api.companies.lookup import company_not_found, market_from_path, number_from_path, number_in_market
from api.problems.problem import ProblemError
from warehouse.schema.codes import SERVED
from warehouse.schema.identifiers import CompanyNumber


def refused(ask, *given):
    with pytest.raises(ProblemError) as caught:
        ask(*given)
    return caught.value


@pytest.mark.parametrize(("text", "market"), [(code.lower(), code) for code in SERVED] + [("gb", "UK")])
def test_markets(text, market):
    assert market_from_path(text) == market


def test_denmark_is_announced():
    for trouble in (refused(market_from_path, "dk"), refused(number_from_path, "firm:DK:10000009")):
        assert (trouble.problem_type.code, trouble.status) == ("market_not_available", 404)
        assert trouble.detail == "Denmark (dk) is announced but not served yet."


def test_what_is_no_market():
    trouble = refused(market_from_path, "x" * 100)
    assert trouble.problem_type.code == "unknown_market"
    assert trouble.detail.startswith(f"'{'x' * 60}' is not a market.")
    assert refused(market_from_path, "SE").problem_type.code == "unknown_market", "markets are lower case in paths"


@pytest.mark.parametrize("text", ["5599999991", "559999-9991", "firm:SE:5599999991"])
def test_a_number_in_any_spelling(text):
    assert number_from_path(text) == CompanyNumber("SE", "5599999991")
    assert number_in_market("SE", text) == CompanyNumber("SE", "5599999991")


@pytest.mark.parametrize(
    ("market", "text", "number"), [("US", "320193", "US0000320193"), ("FI", "01120389", "0112038-9")]
)
def test_shorter_spellings_where_the_path_names_the_market(market, text, number):
    assert number_in_market(market, text) == CompanyNumber(market, number)


def test_a_number_of_another_market():
    for text in ("5599999991", "firm:SE:5599999991"):
        trouble = refused(number_in_market, "NO", text)
        assert (trouble.problem_type.code, trouble.extra["reason"]) == ("company_not_found", "wrong_market")
        assert trouble.detail == "5599999991 is a number of the market se."


def test_what_is_no_number():
    trouble = refused(number_from_path, "y" * 100)
    assert trouble.problem_type.code == "invalid_org_number"
    assert trouble.detail == f"'{'y' * 60}' does not match the number format of any supported market."
    (error,) = trouble.errors
    assert (error.code, error.parameter) == ("format", "org_number")
    trouble = refused(number_in_market, "FI", "nonsense:")
    assert trouble.detail == "'nonsense:' does not match a number format of the market fi."


def test_what_is_too_long_is_not_read():
    """No spelling is that long, so nobody pays for looking."""
    short, long = "firm:SE:" + "5599999991".rjust(32), "firm:US:" + "1" * 33
    for text in (short, long):
        assert refused(number_from_path, text).problem_type.code == "invalid_org_number"
        assert refused(number_in_market, "US", text).problem_type.code == "invalid_org_number"


def test_ten_characters_that_would_be_norwegian():
    trouble = refused(number_from_path, "0123456789")
    assert (trouble.problem_type.code, trouble.extra["reason"]) == ("company_not_found", "check_digit_mismatch")
    assert "123456789 is known; its check digit is wrong" in trouble.detail
    assert " 0123456789" not in trouble.detail


def test_why_a_number_is_not_found():
    assert company_not_found(CompanyNumber("SE", "5599999991")).extra["reason"] == "not_found"
    assert company_not_found(CompanyNumber("SE", "5599999992")).extra["reason"] == "check_digit_mismatch"
