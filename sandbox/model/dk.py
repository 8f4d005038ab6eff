"""Danish data of a company beyond the shared model: values with their periods, and participants.

Belongs here: the classes that stories change and writers render. Does not belong here: rendering (`sandbox.dk`), or
the expected results (`expected`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, Generic, Literal, TypeVar

from sandbox.vocabulary import Industry, Place

T = TypeVar("T")
LEGAL_OWNERS: Final = "EJERREGISTER"
BENEFICIAL_OWNERS: Final = "Reelle ejere"
# Lower and upper bounds of the statutory bands, in percent (docs/formats/dk.md 4); the whole is no band.
BANDS: Final = tuple(
    (Decimal(low), Decimal(high))
    for low, high in (
        *(("5", "10"), ("10", "15"), ("15", "20"), ("20", "25"), ("25", "33.33")),
        *(("33.33", "50"), ("50", "66.67"), ("66.67", "90"), ("90", "100")),
    )
)
WHOLE: Final = Decimal(100)
HolderKind = Literal["PERSON", "VIRKSOMHED", "ANDEN_DELTAGER"]
RegisterName = Literal["EJERREGISTER", "Reelle ejere"]


@dataclass(slots=True)
class DatedValue(Generic[T]):
    """A value and the days on which it is valid, both included; `updated`: the day on which it was last written."""

    value: T
    since: date | None
    updated: date
    until: date | None = None


def supersede_value(values: list[DatedValue[T]], value: T, since: date, updated: date) -> None:
    """Ends the open value on the day before `since`, and appends the new one."""
    end_value(values, since - timedelta(days=1), updated)
    values.append(DatedValue(value, since, updated))


def end_value(values: list[DatedValue[T]], until: date, updated: date) -> None:
    """Ends the open value, if there is one."""
    for value in values:
        if value.until is None:
            value.until, value.updated = until, updated


@dataclass(frozen=True, slots=True)
class Address:
    """A business address; place None: abroad, as free text."""

    place: Place | None
    street: str


@dataclass(frozen=True, slots=True)
class Stake:
    """Shares and votes in percent; None where a holder has none. In the register of owners both begin a band."""

    shares: Decimal | None
    votes: Decimal | None


@dataclass(slots=True)
class DanishHolder:
    """One participant in one register of a company. `number`: of a Danish company, `unit`: the internal number of any.

    role: the way of influence of a beneficial owner without a share.
    """

    unit: int
    kind: HolderKind
    name: str
    country: str
    register: RegisterName
    stakes: list[DatedValue[Stake]]
    number: str | None = None
    is_hidden: bool = False
    role: str | None = None

    def stake_on(self, day: date) -> DatedValue[Stake] | None:
        """The holding on a day; None before the first and after the last."""
        present = [one for one in self.stakes if one.until is None or one.until >= day]
        return max(present, key=lambda one: one.since or date.min) if present else None


def band_of(percent: Decimal) -> tuple[Decimal, Decimal]:
    """Bounds of the band that a percentage begins; the whole is exact."""
    return next((band for band in BANDS if band[0] == percent), (percent, percent))


@dataclass(slots=True)
class DanishDetails:
    """Register data of one company. Lists are in order of entry; the register's answers are not."""

    names: list[DatedValue[str]] = field(default_factory=list)
    addresses: list[DatedValue[Address]] = field(default_factory=list)
    industries: list[DatedValue[Industry]] = field(default_factory=list)
    forms: list[DatedValue[str]] = field(default_factory=list)
    statuses: list[DatedValue[str]] = field(default_factory=list)
    lives: list[DatedValue[None]] = field(default_factory=list)
    holders: list[DanishHolder] = field(default_factory=list)
    updated: date | None = None  # the record's last change; None: before the first day
    revision: int = 0
    is_protected: bool = False  # against advertising
