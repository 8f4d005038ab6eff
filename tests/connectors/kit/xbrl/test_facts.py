"""Days of periods."""

from __future__ import annotations

from datetime import date

from connectors.kit.xbrl.facts import parse_day
from tests.tables import check_cases


@check_cases(
    ("text", "day"),
    [
        ("2017-01-01T00:00:00", "2016-12-31"),
        ("2017-01-01T00:00:00Z", "2016-12-31"),
        ("2017-01-01T00:00:00.000+01:00", "2016-12-31"),
        ("2017-01-01T00:00:00-05:00", "2016-12-31"),
        ("2016-12-31T23:59:59", "2016-12-31"),
        ("2016-12-31T00:00:01", "2016-12-31"),
        ("2016-12-31T01:00:00+01:00", "2016-12-31"),
        ("2016-12-31", "2016-12-31"),
        ("2016-12-31+01:00", "2016-12-31"),
    ],
)
def test_parse_day_of_an_end(text: str, day: str) -> None:
    assert parse_day(text, is_end=True) == date.fromisoformat(day)
    assert parse_day(text, is_end=False) == date.fromisoformat(text[:10])
