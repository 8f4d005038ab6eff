"""«Did you mean»: the known name nearest to an unknown one, and how much of a caller's input is repeated.

Does not belong here: whether a name is known (`api.http.query.model`, `api.http.body_validation`).
"""

import difflib
from collections.abc import Iterable
from typing import Final

SHOWN: Final = 60
"""Maximum characters of caller input repeated in a response. Longer names are not compared."""


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one; None if none is."""
    near = difflib.get_close_matches(name, known, 1) if len(name) <= SHOWN else ()
    return near[0] if near else None
