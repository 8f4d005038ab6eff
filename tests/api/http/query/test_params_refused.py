"""What a query is refused for, without a service: the code, the words, and which of several is told."""

from typing import Annotated

import pytest
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from api.http.query.model import NoParameters, QueryModel
from api.problems.problem import ProblemError
from tests.tables import check_cases


def _even(number):
    if number is not None and number % 2:
        raise PydanticCustomError("odd", "must be even")
    return number


Even = Annotated[int | None, AfterValidator(_even)]


class Query(QueryModel):
    first: Even = None
    second: Even = None
    text: str = ""


class Near(QueryModel):
    limited: Even = None
    limit: Even = None


def refused(query_string, query=Query):
    """Code, detail and errors of the problem."""
    with pytest.raises(ProblemError) as caught:
        query.read(query_string)
    return (caught.value.problem_type.code, caught.value.detail, [error.members() for error in caught.value.errors])


@pytest.mark.parametrize("times", [2, 3])
def test_once_too_often(times):
    assert refused(b"&".join([b"first=2"] * times)) == (
        "duplicate_parameter",
        "'first' may be given only once.",
        [{"code": "duplicate", "detail": f"given {times} times", "parameter": "first"}],
    )


def test_one_wrong_value():
    assert refused(b"first=2&second=3") == (
        "invalid_parameter",
        "'second' must be even.",
        [{"code": "odd", "detail": "must be even", "parameter": "second"}],
    )


def test_several_wrong_values_in_the_order_asked():
    code, detail, errors = refused(b"second=3&first=1")
    assert (code, detail) == ("invalid_parameter", "2 parameters are not valid.")
    assert [error["parameter"] for error in errors] == ["second", "first"]


def test_unknown_before_repeated_before_wrong():
    assert refused(b"first=1&second=2&second=2&nope=1")[0] == "unknown_parameter"
    assert refused(b"first=1&second=2&second=2")[0] == "duplicate_parameter"


def test_the_nearest_known_name_is_meant():
    assert refused(b"firts=2") == (
        "unknown_parameter",
        "Unknown query parameter 'firts'. Did you mean 'first'?",
        [{"code": "unknown", "detail": "did you mean 'first'?", "parameter": "firts"}],
    )
    assert refused(b"limi=2", Near)[1].endswith("Did you mean 'limit'?")


def test_where_none_is_near_all_are_told():
    known = "allowed: first, second, text"
    assert refused(b"q=2") == (
        "unknown_parameter",
        f"Unknown query parameter 'q'. {known.capitalize()}.",
        [{"code": "unknown", "detail": known, "parameter": "q"}],
    )
    assert refused(b"q=2", NoParameters)[1] == "Unknown query parameter 'q'. This operation has no parameters."


def test_sixty_characters_of_a_name_are_repeated():
    _, detail, errors = refused(b"x" * 61 + b"=1")
    assert f"'{'x' * 60}'" in detail
    assert errors[0]["parameter"] == "x" * 60


@check_cases("written", [b"%", b"%2", b"%zz", b"%4x", b"50%25%", b"%ff", b"\xe9"])
def test_what_is_no_percent_encoded_text(written):
    broken = [{"code": "encoding", "detail": "must be percent-encoded UTF-8", "parameter": "text"}]
    assert refused(b"text=" + written) == ("invalid_parameter", "'text' must be percent-encoded UTF-8.", broken)


def test_a_name_that_is_no_text_is_repeated_shortened():
    _, _, errors = refused(b"%zz" + b"x" * 100 + b"=1")
    assert errors[0]["parameter"] == "%zz" + "x" * 57


def test_only_the_first_equals_sign_divides():
    assert Query.read(b"text=a=b=c").model_dump(exclude_unset=True) == {"text": "a=b=c"}


def test_names_are_decoded_too():
    assert Query.read(b"%66irst=2").model_dump(exclude_unset=True) == {"first": 2}
    assert refused(b"first=2&%66irst=2")[0] == "duplicate_parameter"
