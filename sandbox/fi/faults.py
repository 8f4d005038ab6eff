"""Named faults inside the Finnish bulk file: damage to company objects.

Belongs here: pure functions of a list of objects. Does not belong here: zips, whole bodies (`faults.files`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

Objects = list[dict[str, Any]]
KEY: Final = "businessId"  # a key of every object in the file
_STRANGE: Final = "XQZ"
_FEW: Final = 3


def _new_column(objects: Objects) -> Objects:
    return [{**item, "uusiKentta": "x"} for item in objects]


def _missing_column(objects: Objects) -> Objects:
    """Removes a mandatory key everywhere."""
    return [{name: value for name, value in item.items() if name != KEY} for item in objects]


def _unknown_status(objects: Objects) -> Objects:
    """Gives the first three objects a code that is in no list."""
    return [{**item, "tradeRegisterStatus": _STRANGE} for item in objects[:_FEW]] + objects[_FEW:]


def _clock_flicker(objects: Objects) -> Objects:
    """Changes only the timestamps."""
    return [{**item, "lastModified": "2026-12-24T00:00:00"} for item in objects]


OBJECTS: Final[Mapping[str, Callable[[Objects], Objects]]] = {
    "new_column": _new_column,
    "missing_column": _missing_column,
    "unknown_status": _unknown_status,
    "clock_flicker": _clock_flicker,
}
