"""Reading queries: what the declarations accept is what their schemas say."""

import re
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from api.companies import query_params
from api.companies.lookup import number_from_path
from api.http.query.params import NO_PARAMETERS, InvalidParameterError, QueryParams
from api.http.query.types import (
    boolean_param,
    date_param,
    instant_param,
    integer_param,
    list_param,
    one_of_param,
    percent_param,
)
from api.openapi.operation import path_parameters
from api.openapi_document import OPERATIONS
from api.problems.problem import ProblemError
from tests.tables import check_cases


def accepts(parameter, text):
    try:
        parameter.parse(text)
    except (InvalidParameterError, ProblemError):
        return False
    return True


def test_defaults_stand_where_nothing_is_asked():
    values = query_params.SEARCH.read(b"")
    assert (
        values[query_params.LIMIT],
        values[query_params.CURSOR],
        values[query_params.COUNTRY],
        values[query_params.Q],
    ) == (25, None, (), None)
    assert query_params.EVENTS.read(b"limit=3")[query_params.ORDER] == "desc"


@pytest.mark.parametrize("text", ["1", "7", "100"])
def test_integers(text):
    assert integer_param("n", 1, 100, 25, "").parse(text) == int(text)


@check_cases("text", ["", "0", "101", "01", "1.0", "1e1", " 1", "1 ", "+1", "-1", "٣", "0x1", "9" * 40])
def test_what_is_no_integer(text):
    assert not accepts(integer_param("n", 1, 100, 25, ""), text)


@check_cases(
    ("text", "right"),
    [
        ("0", True),
        ("100", True),
        ("99.9999", True),
        ("5.0", True),
        ("100.0001", False),
        ("05", False),
        (".5", False),
        ("1.", False),
        ("nan", False),
        ("1.00001", False),
    ],
)
def test_percentages_are_kept_as_text(text, right):
    assert accepts(percent_param("p", ""), text) is right


def test_days_and_instants():
    assert date_param("d", "").parse("2024-02-29") == date(2024, 2, 29)
    assert not accepts(date_param("d", ""), "2023-02-29")
    assert instant_param("i", "").parse("2026-01-31T13:00:00.5+01:00") == datetime(2026, 1, 31, 12, 0, 0, 500000, UTC)
    for wrong in (
        "2026-01-31T13:00:00 01:00",
        "2026-01-31t13:00:00Z",
        "2026-01-31T25:00:00Z",
        "0001-01-01T00:00:00+23:59",
    ):
        assert not accepts(instant_param("i", ""), wrong)


def test_words_and_flags():
    listed = list_param("w", ("a", "b"), "")
    assert listed.parse("b,a") == ("b", "a")
    for wrong in ("", "a,", "A", "a b", "a,,b", "a,b,a"):
        assert not accepts(listed, wrong)
    assert one_of_param("w", ("a", "b"), "a", "").parse("b") == "b"
    assert [boolean_param("f", "").parse(text) for text in ("true", "false")] == [True, False]
    for wrong in ("True", "1", ""):
        assert not accepts(boolean_param("f", ""), wrong)


@given(st.text(max_size=220))
def test_q_accepts_what_its_schema_accepts(text):
    assert accepts(query_params.Q, text) == Draft202012Validator(dict(query_params.Q.schema)).is_valid(text)


@given(st.integers(-5, 120))
def test_limit_accepts_what_its_schema_accepts(number):
    assert accepts(query_params.LIMIT, str(number)) == Draft202012Validator(dict(query_params.LIMIT.schema)).is_valid(
        number
    )


@given(st.binary(max_size=60))
def test_any_bytes_are_values_or_a_400(query):
    statuses = set()
    try:
        query_params.SEARCH.read(query)
    except ProblemError as trouble:
        statuses.add(trouble.status)
    assert statuses <= {400}


def test_a_name_is_repeated_shortened():
    with pytest.raises(ProblemError) as caught:
        NO_PARAMETERS.read(b"x" * 5000 + b"=1")
    assert len(caught.value.detail) < 200
    assert "this operation has no parameters" in caught.value.errors[0].detail.lower()


def test_filters_leave_paging_out():
    one = query_params.SEARCH.read(b"q=a&limit=3&cursor=abc&country=GB").filters()
    assert one == query_params.SEARCH.read(b"country=UK&q=a").filters()
    assert one != query_params.SEARCH.read(b"country=SE&q=a").filters()


def test_empty_parts_between_ampersands_are_nothing():
    assert QueryParams(query_params.LIMIT).read(b"&limit=3&")[query_params.LIMIT] == 3


GET_COMPANY = next(handler for handler in OPERATIONS if handler.operation_id == "getCompany")
NUMBER = path_parameters(GET_COMPANY)["org_number"].schema_extra


@check_cases(
    "text",
    [
        "5599999991",
        "559999-9991",
        "999999999",
        "0999999999",
        "9999999-2",
        "99999999",
        "SC123456",
        "sc123456",
        "IP12345R",
        "R0000012",
        "US1",
        "us-320193",
        "CIK0000320193",
        "firm:UK:SC123456",
    ],
)
def test_accepted_numbers_fit_the_documented_pattern(text):
    assert re.fullmatch(NUMBER["pattern"], text)
    assert number_from_path(text)


@given(st.from_regex(NUMBER["pattern"], fullmatch=True))
def test_the_documented_pattern_promises_no_400(text):
    if text.startswith("firm:") or (len(text) == 10 and text.startswith("0")):
        return  # the number inside an id, and the check digits of ten-digit Norwegian numbers, no pattern can say
    assert number_from_path(text)


def test_a_plus_is_a_blank_and_an_escaped_plus_is_none():
    assert query_params.SEARCH.read(b"q=a+b%2Bc")[query_params.Q] == "a b+c"


@pytest.mark.parametrize(
    "text", ["2026-01-31T12:00:00+01:00:30", "2026-01-31T12:00:00Z\n", "2026-01-31T12:00:00.1234567Z"]
)
def test_an_instant_is_of_rfc_3339_and_no_other_spelling(text):
    assert not accepts(instant_param("i", ""), text)


def test_industry_codes_have_one_spelling():
    assert query_params.INDUSTRY.parse("62.01,6201,06") == ("6201", "06")


@given(st.text("0123456789.,", max_size=30))
def test_industry_accepts_what_its_schema_accepts(text):
    schema = Draft202012Validator(dict(query_params.INDUSTRY.schema))
    assert accepts(query_params.INDUSTRY, text) == schema.is_valid(text.split(","))


@given(st.lists(st.sampled_from(["SE", "NO", "GB", "UK", "se", "XX", ""]), max_size=8))
def test_countries_are_accepted_as_their_schema_says(given):
    schema = Draft202012Validator(dict(query_params.COUNTRY.schema))
    assert accepts(query_params.COUNTRY, ",".join(given)) == schema.is_valid(given or [""])


@check_cases("parameter", query_params.SEARCH.parameters, ids=[one.name for one in query_params.SEARCH.parameters])
def test_numbers_say_how_wide_they_are(parameter):
    if parameter.schema.get("type") == "integer":
        fits = parameter.schema["maximum"] < 2**31 and parameter.schema["minimum"] >= -(2**31)
        assert parameter.schema["format"] == ("int32" if fits else "int64")
