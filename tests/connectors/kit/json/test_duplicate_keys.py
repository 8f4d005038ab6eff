"""Members that stand twice are seen wherever they are, and nothing else is."""

from __future__ import annotations

import pytest

from connectors.kit.json.duplicate_keys import has_duplicate_keys
from tests.tables import check_cases


@pytest.mark.parametrize(
    "text", [b'{"a": 1, "a": 1}', b'[{"b": {"a": 1, "b": [], "a": 2}}]', b'{"a": 1, "\\u0061": 2}', b'{"": 1, "": 2}']
)
def test_a_member_that_stands_twice(text: bytes) -> None:
    assert has_duplicate_keys(text)


@check_cases("text", [b'[{"a": 1}, {"a": 1}]', b'{"a": {"a": "a"}}', b'"a"', b"[]", b'{"a": NaN}', b"1e400"])
def test_a_member_that_stands_once(text: bytes) -> None:
    assert not has_duplicate_keys(text)


def test_what_is_too_deep_to_tell() -> None:
    assert has_duplicate_keys(b"[" * 100_000 + b"]" * 100_000)
