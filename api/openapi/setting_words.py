"""Figures in published texts that settings govern: a text has a placeholder, which the running service's value fills.

`[[ack_window]]` in a description or a problem page becomes «10 seconds» by default. Does not belong here: the settings
(`api.settings`), or figures that are the same everywhere (`api.http.pagination.cursors`).
"""

import re
from collections.abc import Mapping
from typing import Final

from api.common.time_spans import exact_span
from api.settings.service import ApiSettings

DEFAULT_SETTINGS: Final = ApiSettings()
_PLACEHOLDER: Final = re.compile(rb"\[\[([a-z_]+)\]\]")


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
