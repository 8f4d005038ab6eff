"""Time spans in words: rounded for mails and pages, exact for texts that promise a figure."""

from datetime import timedelta
from typing import Final

_UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
_LEAST_OF_A_UNIT: Final = 1.5  # 90 minutes are «90 minutes», not «2 hours»


def format_span(span: timedelta) -> str:
    """A time span for people, rounded: «12 hours», «90 minutes», «1 second»."""
    seconds = max(1.0, span.total_seconds())
    fitting = [(size, unit) for size, unit in _UNITS if seconds >= _LEAST_OF_A_UNIT * size or seconds == size]
    size, unit = fitting[0] if fitting else _UNITS[-1]
    count = round(seconds / size)
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def exact_span(seconds: float, largest: str = "hour") -> str:
    """A time span in the largest unit that has a whole number of it: «2 hours», «90 minutes», «1 second»."""
    units = _UNITS[:-1] if largest == "day" else _UNITS[1:-1]
    size, unit = next((one for one in units if seconds and seconds % one[0] == 0), (1, "second"))
    count = f"{seconds:.10g}" if size == 1 else str(int(seconds // size))
    return f"{count} {unit}" if count == "1" else f"{count} {unit}s"
