"""What a receiver answers with is believed as far as it reads, and stops no worker (`api.webhooks.outcomes`)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.webhooks.outcomes import _retry_after

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("120", 120.0),
        ("Thu, 26 Nov 2026 12:01:00 GMT", 60.0),
        ("Thu, 26 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("Thu, 26 Nov 2026 00:999999999999:00 GMT", None),
        ("Sat, 01 Jan 0001 00:00:00 +2359", 0.0),
        (None, None),
    ],
)
def test_a_wait_that_is_asked_for(written: str | None, seconds: float | None) -> None:
    assert _retry_after(written, NOW) == seconds


PIECES = (
    "Thu, ",
    "26",
    " Nov",
    " 2026 ",
    "12:",
    "01:",
    "00",
    " GMT",
    " -9999",
    "9" * 12,
    "-",
    "٣",
    "\x00",
    "9999",
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=60))
def test_whatever_is_written_is_a_wait_or_none(written: str) -> None:
    found = _retry_after(written, NOW)
    assert found is None or 0 <= found < 1e12
