"""What goes wrong inside the Finnish bulk file: damage of company objects, in named ways.

Belongs here: pure functions of a list of objects. Does not belong here: zips, whole bodies (`faults`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

Objects = list[dict[str, Any]]
KEY: Final = "businessId"  # what every object of the file has
_STRANGE: Final = "XQZ"
_FEW: Final = 3


def _new_column(objects: Objects) -> Objects:
    return [{**item, "uusiKentta": "x"} for item in objects]


def _missing_column(objects: Objects) -> Objects:
    """What is mandatory is gone everywhere."""
    return [{name: value for name, value in item.items() if name != KEY} for item in objects]


def _unknown_status(objects: Objects) -> Objects:
    """The first three objects carry a code that no list knows."""
    return [{**item, "tradeRegisterStatus": _STRANGE} for item in objects[:_FEW]] + objects[_FEW:]


def _clock_flicker(objects: Objects) -> Objects:
    """Only the time stamps move."""
    return [{**item, "lastModified": "2026-12-24T00:00:00"} for item in objects]


OBJECTS: Final[Mapping[str, Callable[[Objects], Objects]]] = {
    "new_column": _new_column,
    "missing_column": _missing_column,
    "unknown_status": _unknown_status,
    "clock_flicker": _clock_flicker,
}
