"""What a receiver answers with is believed as far as it reads, and keeps no delivery from its next attempt."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from api.webhooks.egress.attempt_result import AttemptResult, EndpointResponse, result_of_response

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


def outcome(retry_after: str | None, status: int = 503, body: bytes = b"") -> AttemptResult:
    headers = CIMultiDict({} if retry_after is None else {"Retry-After": retry_after})
    return result_of_response(EndpointResponse(status, headers, body, is_complete=True), "203.0.113.7", 12, NOW)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("120", 120.0),
        ("Thu, 26 Nov 2026 12:01:00 GMT", 60.0),
        ("Thu, 26 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("Thu, 26 Nov 2026 00:999999999999:00 GMT", None),
        (None, None),
    ],
)
def test_a_wait_that_is_asked_for(written: str | None, seconds: float | None) -> None:
    assert outcome(written).retry_after == seconds


PIECES = ("Thu, ", "26", " Nov", " 2026 ", "12:", "01:", "00", " GMT", " -9999", "9" * 12, "-", "٣", "\x00", "9999")


@given(
    written=st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=60),
    status=st.integers(100, 999),
    body=st.binary(max_size=50),
)
def test_whatever_is_answered_is_an_outcome(written: str, status: int, body: bytes) -> None:
    made = outcome(written, status, body)
    assert made.has_succeeded == (200 <= status < 300)
    assert made.retry_after is None or 0 <= made.retry_after < 1e12
