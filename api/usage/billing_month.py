"""The window of the monthly quota: a calendar month in UTC.

Does not belong here: counting (`api.usage.counter`).
"""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Month:
    """One calendar month; `number` is its stored form, e.g. 202611."""

    number: int
    start: datetime
    end: datetime
    from_second: int
    to_second: int

    @property
    def seconds(self) -> int:
        return self.to_second - self.from_second


def month_at(wall: float) -> Month:
    """The month of an instant given as seconds since 1970."""
    start = datetime.fromtimestamp(wall, UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    year, following = divmod(start.year * 12 + start.month, 12)
    end = start.replace(year=year, month=following + 1)
    return Month(start.year * 100 + start.month, start, end, int(start.timestamp()), int(end.timestamp()))
