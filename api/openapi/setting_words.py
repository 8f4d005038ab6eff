"""Figures in published texts that settings govern: a text has a placeholder, which the running service's value fills.

`[[ack_window]]` in a description or a problem page becomes «10 seconds» by default. Does not belong here: the settings
(`api.settings`), or figures that are the same everywhere (`api.http.pagination.cursors`).
"""

import re
from collections.abc import Mapping
from typing import Final

from api.settings.service import ApiSettings

DEFAULT_SETTINGS: Final = ApiSettings()
_PLACEHOLDER: Final = re.compile(rb"\[\[([a-z_]+)\]\]")
_UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def setting_words(settings: ApiSettings) -> dict[str, str]:
    """The words of each placeholder."""
    *waits, last = (exact_span(wait) for wait in settings.webhooks.waits)
    return {
        "ack_window": exact_span(settings.webhooks.ack_seconds),
        "key_cache": exact_span(settings.key_cache_seconds),
        "retention": exact_span(settings.webhooks.retention_days * 86_400, largest="day"),
        "retry_waits": f"{', '.join(waits)} and {last}",
    }


def fill_words(text: bytes, words: Mapping[str, str]) -> bytes:
    """Fills the placeholders of an encoded JSON text; KeyError for an unknown one."""
    return _PLACEHOLDER.sub(lambda found: words[found[1].decode()].encode(), text)


def exact_span(seconds: float, largest: str = "hour") -> str:
    """A time span in the largest unit that has a whole number of it: «2 hours», «90 minutes», «1 second»."""
    units = _UNITS if largest == "day" else _UNITS[1:]
    size, unit = next((one for one in units if seconds and seconds % one[0] == 0), (1, "second"))
    count = f"{seconds:.10g}" if size == 1 else str(int(seconds // size))
    return f"{count} {unit}" if count == "1" else f"{count} {unit}s"
