"""Persons in the Swedish files: sole traders, whose number in both bulk files is the person's own.

None of them is a company of the world, and nothing of them may ever come out: neither a number nor a name.
Belongs here: who they are, and `secrets` for whoever searches. Does not belong here: how they are written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from connectors.sandbox import numbers_se

SECRET: Final = "Hemligstad"  # noqa: S105 - in the name of every person here
_EVERY: Final = 4  # one sole trader behind so many companies
_COORDINATION: Final = 3
_GD: Final = 7
_TWO_FIRMS: Final = 5


@dataclass(frozen=True, slots=True)
class Trader:
    """Somebody who trades alone, perhaps with several firms under the one number."""

    number: str
    kind: str  # as the API writes the identity's type
    firms: tuple[str, ...]
    form: str = "E"


def trader(position: int) -> Trader | None:
    """The sole trader behind the company of a position; None behind most."""
    if position % _EVERY:
        return None
    serial = position // _EVERY
    firms = tuple(
        f"{SECRET} Firma {serial}{ending}" for ending in ("", " Två")[: 1 + (serial % _TWO_FIRMS == 0)]
    )
    if serial % _GD == 1:
        return Trader(numbers_se.gd_number(serial), "GDNUMMER", firms)
    if serial % _COORDINATION == 1:
        return Trader(numbers_se.person(serial, coordination=True), "SAMORDNINGSNUMMER", firms)
    return Trader(numbers_se.person(serial), "PERSONNUMMER", firms)


def traders(count: int) -> Iterator[Trader]:
    """All sole traders behind the first `count` positions."""
    yield from filter(None, map(trader, range(count)))


def insider(position: int) -> str:
    """Somebody who reported a trade."""
    return f"{SECRET} Insynsperson {position}"


def secrets(count: int) -> Iterator[str]:
    """What no table, file, line or address may hold: numbers in both lengths, and the word in every name."""
    yield SECRET
    for found in traders(count):
        yield found.number
        yield found.number[-10:]
