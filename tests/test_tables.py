"""`check_cases`: no case hides behind another."""

import pytest

from tests.tables import check_cases


def test_check_cases_with_failing_cases_names_each_and_runs_the_rest() -> None:
    met = []

    @check_cases("number, expected", [(1, 1), (2, 3), (4, 4), (5, 6)])
    def table(number: int, expected: int) -> None:
        met.append(number)
        assert number == expected

    with pytest.raises(BaseExceptionGroup, match=r"2 of 4 cases: 2-3, 5-6") as failed:
        table()
    assert met == [1, 2, 4, 5]
    assert [type(one) for one in failed.value.exceptions] == [AssertionError, AssertionError]


def test_check_cases_with_pytest_fail_counts_it() -> None:
    @check_cases("number", [1, 2], ids=["one", "two"])
    def table(number: int) -> None:
        if number == 2:
            pytest.fail("two is wrong")

    with pytest.raises(BaseExceptionGroup, match=r"1 of 2 cases: two"):
        table()


@pytest.fixture
def base() -> int:
    return 10


@check_cases("number", [1, 2])
def test_check_cases_leaves_fixtures_to_pytest(base: int, number: int) -> None:
    assert base + number in (11, 12)


def test_check_cases_without_cases_or_with_wrong_names_is_refused() -> None:
    with pytest.raises(ValueError, match="without cases"):
        check_cases("number", [])
    with pytest.raises(ValueError, match="1 ids for 2 cases"):
        check_cases("number", [1, 2], ids=["one"])
    with pytest.raises(TypeError, match="does not take other"):
        check_cases("other", [1])(lambda number: None)


def test_check_cases_stacked_reports_cases_of_both_tables() -> None:
    @check_cases("outer", [1, 2])
    @check_cases("inner", [1, 2])
    def table(outer: int, inner: int) -> None:
        if inner == 2:
            pytest.fail("two is wrong")

    with pytest.raises(BaseExceptionGroup, match=r"2 of 2 cases: 1, 2"):
        table()


class TestMethods:
    @check_cases("number", [1, 2])
    def test_check_cases_of_a_method_passes_its_object(self, base: int, number: int) -> None:
        assert isinstance(self, TestMethods)
        assert base + number in (11, 12)
