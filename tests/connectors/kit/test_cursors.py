"""Packed cursors: what is packed comes back, what is unreadable counts as none, and stored cursors stay readable."""

from hypothesis import given
from hypothesis import strategies as st

from connectors.contract.dataset import Cursor
from connectors.kit.cursors import from_differences, pack_cursor, to_differences, unpack_cursor
from tests.tables import check_cases

NUMBERS = st.sets(st.integers(0, 10**18), max_size=20)


@given(NUMBERS)
def test_numbers_come_back_sorted(numbers: set[int]) -> None:
    cursor = pack_cursor({"ids": to_differences(numbers)})
    assert unpack_cursor(cursor, lambda packed: from_differences(packed["ids"])) == sorted(numbers)


def test_stored_cursors_stay_readable() -> None:
    stored = Cursor("c$}+NN>s9nj@4000#b%LMzOU3E)xXf")  # as compressed by the zlib of an earlier release
    assert unpack_cursor(stored, dict) == {"a": [], "b": [1, 2]}


@check_cases("value", ["", "é", "no base 85 \x00", "c$@(*", pack_cursor([1]).value, pack_cursor("x").value])
def test_an_unreadable_cursor_counts_as_none(value: str) -> None:
    assert unpack_cursor(Cursor(value), lambda packed: sorted(packed.items())) is None
    assert unpack_cursor(None, list) is None
