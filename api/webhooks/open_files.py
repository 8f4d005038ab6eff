"""Room for connections: every one is an open file, and systems allow few at first.

Does not belong here: how many attempts are made at once (`api.webhooks.settings`), or what happens when the room is
used up all the same (`api.webhooks.sending`).
"""

import resource
from typing import Final

ENOUGH: Final = 65_536


def make_room() -> int:
    """Raise this process's own limit of open files as far as the system lets it; gives the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(ENOUGH, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
