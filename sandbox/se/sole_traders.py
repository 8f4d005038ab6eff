"""Persons in the Swedish files: sole traders, with their personal number in both bulk files.

None of them is a company of the world, and nothing about them may be published: neither a number nor a name.
Belongs here: who they are, and `personal_data_strings` for tests that search for leaks. Does not belong here: how
they are written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sandbox import numbers

SECRET: Final = "Hemligstad"  # noqa: S105 - in the name of every person here
_EVERY: Final = 4  # one sole trader per this many companies
_COORDINATION: Final = 3
_GD: Final = 7
_TWO_FIRMS: Final = 5


@dataclass(frozen=True, slots=True)
class SoleTrader:
    """A sole trader, possibly with several firms under the one number."""

    number: str
    kind: str  # identity type as the API writes it
    firms: tuple[str, ...]
    form: str = "E"


def find_sole_trader(position: int) -> SoleTrader | None:
    """The sole trader added at a company's position; None for most positions."""
    if position % _EVERY:
        return None
    serial = position // _EVERY
    firms = tuple(f"{SECRET} Firma {serial}{ending}" for ending in ("", " Två")[: 1 + (serial % _TWO_FIRMS == 0)])
    if serial % _GD == 1:
        return SoleTrader(numbers.estate_number(serial), "GDNUMMER", firms)
    if serial % _COORDINATION == 1:
        return SoleTrader(numbers.invalid_personal_number(serial, coordination=True), "SAMORDNINGSNUMMER", firms)
    return SoleTrader(numbers.invalid_personal_number(serial), "PERSONNUMMER", firms)


def all_sole_traders(count: int) -> Iterator[SoleTrader]:
    """All sole traders added for the first `count` positions."""
    yield from filter(None, map(find_sole_trader, range(count)))


def insider_name(position: int) -> str:
    """Name of a person who reported a trade."""
    return f"{SECRET} Insynsperson {position}"


def personal_data_strings(count: int) -> Iterator[str]:
    """Strings that no table, file, line or URL may contain: numbers in both lengths, and the word in every name."""
    yield SECRET
    for found in all_sole_traders(count):
        yield found.number
        yield found.number[-10:]
