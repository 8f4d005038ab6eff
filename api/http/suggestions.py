"""«Did you mean»: the known name nearest to an unknown one, and how much of a caller's input is repeated.

Does not belong here: whether a name is known (`api.http.query.model`, `api.http.body_validation`).
"""

from collections.abc import Iterable
from typing import Final

from rapidfuzz import fuzz, process

SHOWN: Final = 60
"""Maximum characters of caller input repeated in a response. Longer names are not compared."""
_LEAST_ALIKE: Final = 60.0
"""Percent of the characters of both names, in order."""


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one; None if none is."""
    if len(name) > SHOWN:
        return None
    near = process.extractOne(name, [*known], scorer=fuzz.ratio, score_cutoff=_LEAST_ALIKE)
    return near[0] if near else None
