"""Which element of a list counts (docs/formats/dk.md 2): lists are not sorted, and periods overlap or last a day.

Current is what has begun and not ended; of several, what began last, then what was changed last. Days are compared as
text, as ISO dates are written. Does not belong here: the lists themselves (`structs`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from connectors.dk.virksomhed.structs import Element, Period

AnyElement = TypeVar("AnyElement", bound=Element)
_UNKNOWN: Final = Period()


def period_of(element: Element) -> Period:
    """The period of an element; open on both sides if it has none."""
    return element.periode or _UNKNOWN


def first_day(element: Element) -> str:
    """The first day; empty, and so before any other, if it is unknown."""
    return (element.periode or _UNKNOWN).gyldigFra or ""


def current_element(elements: Sequence[AnyElement], day: str) -> AnyElement | None:
    """The element that holds on a day; None if none does. A loop, since ten lists of each company are searched."""
    found = None
    for element in elements:
        period = element.periode or _UNKNOWN
        ended = period.gyldigTil
        if (period.gyldigFra or "") <= day and (ended is None or ended >= day):
            found = element if found is None or _order(element) > _order(found) else found
    return found


def newest_element(elements: Sequence[AnyElement], day: str) -> AnyElement | None:
    """The element that holds on a day, else the one that began last before it; None if all are to come."""
    found = current_element(elements, day)
    return found or max((one for one in elements if first_day(one) <= day), key=_order, default=None)


def newest_first(elements: Iterable[AnyElement]) -> list[AnyElement]:
    """The elements, what began last first."""
    return sorted(elements, key=_order, reverse=True)


def _order(element: Element) -> tuple[str, str]:
    return first_day(element), element.sidstOpdateret or ""
