"""Reading queries: what the declarations accept is what their schemas say."""

import re
from datetime import UTC, date, datetime
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import create_model

from api.companies.lookup import number_from_path
from api.companies.query_params import EventsParams, SearchParams
from api.http.query.fields import percent_text_field, query_instant_field, words_field
from api.http.query.model import NoParameters, QueryModel
from api.openapi.operation import path_parameters
from api.openapi_document import OPERATIONS
from api.problems.problem import ProblemError
from api.schemas import declare
from api.schemas.json_schema import parameter_schemas
from tests.tables import check_cases


def one_of_a_kind(annotation, field):
    """A query whose only parameter is of this kind."""
    return create_model("OneOfAKind", __base__=QueryModel, p=(annotation, field))


NUMBER = one_of_a_kind(int, declare.integer(1, 100, "", default=25))
PERCENT = one_of_a_kind(str | None, percent_text_field(""))
DAY = one_of_a_kind(date | None, declare.date("", default=None))
INSTANT = one_of_a_kind(datetime | None, query_instant_field(""))
FLAG = one_of_a_kind(bool | None, declare.boolean("", default=None))
WORDS = one_of_a_kind(tuple[str, ...], words_field(("a", "b"), ""))
WORD = one_of_a_kind(str, declare.word(("a", "b"), "", default="a"))


def value(model, text, name="p"):
    return getattr(model.read(f"{name}={quote(text, safe='')}".encode()), name)


def accepts(model, text, name="p"):
    try:
        value(model, text, name)
    except ProblemError:
        return False
    return True


def schema_of(model, name):
    return Draft202012Validator(parameter_schemas(model)[name])


def test_defaults_stand_where_nothing_is_asked():
    query = SearchParams.read(b"")
    assert (query.limit, query.cursor, query.country, query.q) == (25, None, (), None)
    assert EventsParams.read(b"limit=3").order == "desc"


@pytest.mark.parametrize("text", ["1", "7", "100"])
def test_integers(text):
    assert value(NUMBER, text) == int(text)


@check_cases("text", ["", "0", "101", "01", "1.0", "1e1", " 1", "1 ", "+1", "-1", "٣", "0x1", "9" * 40])
def test_what_is_no_integer(text):
    assert not accepts(NUMBER, text)


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
    assert accepts(PERCENT, text) is right


def test_days_and_instants():
    assert value(DAY, "2024-02-29") == date(2024, 2, 29)
    assert not accepts(DAY, "2023-02-29")
    assert value(INSTANT, "2026-01-31T13:00:00.5+01:00") == datetime(2026, 1, 31, 12, 0, 0, 500000, UTC)
    for wrong in (
        "2026-01-31T13:00:00 01:00",
        "2026-01-31t13:00:00Z",
        "2026-01-31T25:00:00Z",
        "0001-01-01T00:00:00+23:59",
    ):
        assert not accepts(INSTANT, wrong)


def test_words_and_flags():
    assert value(WORDS, "b,a") == ("b", "a")
    for wrong in ("", "a,", "A", "a b", "a,,b", "a,b,a"):
        assert not accepts(WORDS, wrong)
    assert value(WORD, "b") == "b"
    assert [value(FLAG, text) for text in ("true", "false")] == [True, False]
    for wrong in ("True", "1", ""):
        assert not accepts(FLAG, wrong)


@given(st.text(max_size=220))
def test_q_accepts_what_its_schema_accepts(text):
    assert accepts(SearchParams, text, "q") == schema_of(SearchParams, "q").is_valid(text)


@given(st.integers(-5, 120))
def test_limit_accepts_what_its_schema_accepts(number):
    assert accepts(SearchParams, str(number), "limit") == schema_of(SearchParams, "limit").is_valid(number)


@given(st.binary(max_size=60))
def test_any_bytes_are_values_or_a_400(query):
    statuses = set()
    try:
        SearchParams.read(query)
    except ProblemError as trouble:
        statuses.add(trouble.status)
    assert statuses <= {400}


def test_a_name_is_repeated_shortened():
    with pytest.raises(ProblemError) as caught:
        NoParameters.read(b"x" * 5000 + b"=1")
    assert len(caught.value.detail) < 200
    assert "this operation has no parameters" in caught.value.errors[0].detail.lower()


def test_filters_leave_paging_out():
    one = SearchParams.read(b"q=a&limit=3&cursor=abc&country=GB").filters()
    assert one == SearchParams.read(b"country=UK&q=a").filters()
    assert one != SearchParams.read(b"country=SE&q=a").filters()


def test_empty_parts_between_ampersands_are_nothing():
    assert SearchParams.read(b"&limit=3&").limit == 3


GET_COMPANY = next(handler for handler in OPERATIONS if handler.operation_id == "getCompany")
ORG_NUMBER = path_parameters(GET_COMPANY)["org_number"].schema_extra


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
    assert re.fullmatch(ORG_NUMBER["pattern"], text)
    assert number_from_path(text)


@given(st.from_regex(ORG_NUMBER["pattern"], fullmatch=True))
def test_the_documented_pattern_promises_no_400(text):
    if text.startswith("firm:") or (len(text) == 10 and text.startswith("0")):
        return  # the number inside an id, and the check digits of ten-digit Norwegian numbers, no pattern can say
    assert number_from_path(text)


def test_a_plus_is_a_blank_and_an_escaped_plus_is_none():
    assert SearchParams.read(b"q=a+b%2Bc").q == "a b+c"


@pytest.mark.parametrize(
    "text", ["2026-01-31T12:00:00+01:00:30", "2026-01-31T12:00:00Z\n", "2026-01-31T12:00:00.1234567Z"]
)
def test_an_instant_is_of_rfc_3339_and_no_other_spelling(text):
    assert not accepts(INSTANT, text)


def test_industry_codes_have_one_spelling():
    assert value(SearchParams, "62.01,6201,06", "industry") == ("6201", "06")


@given(st.text("0123456789.,", max_size=30))
def test_industry_accepts_what_its_schema_accepts(text):
    fits = schema_of(SearchParams, "industry").is_valid(text.split(","))
    assert accepts(SearchParams, text, "industry") == fits


@given(st.lists(st.sampled_from(["SE", "NO", "GB", "UK", "se", "XX", ""]), max_size=8))
def test_countries_are_accepted_as_their_schema_says(given):
    fits = schema_of(SearchParams, "country").is_valid(given or [""])
    assert accepts(SearchParams, ",".join(given), "country") == fits


@check_cases("schema", parameter_schemas(SearchParams).values(), ids=parameter_schemas(SearchParams))
def test_numbers_say_how_wide_they_are(schema):
    if schema["type"] == "integer":
        fits = schema["maximum"] < 2**31 and schema["minimum"] >= -(2**31)
        assert schema["format"] == ("int32" if fits else "int64")
