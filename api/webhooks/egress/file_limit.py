"""Raises the limit of open files, as every connection needs one and defaults are low.

Does not belong here: how many attempts are made at once (`api.settings.webhooks`), or handling exhaustion
(`api.webhooks.egress.http_client`).
"""

import resource
from typing import Final

ENOUGH: Final = 65_536


def raise_open_file_limit() -> int:
    """Raises this process's soft limit of open files as far as allowed; returns the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(ENOUGH, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
