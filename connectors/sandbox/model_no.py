"""What the Norwegian registers know of a company beyond the shapes all markets share: its owners by role.

Belongs here: the shapes that stories change and writers write. Does not belong here: how they are written
(`roles_no`), or what the service must make of them (`truth_no`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Owner:
    """One role of ownership: DTPR (a partner, with a share), INNH (a sole proprietor), HFOR (a head office)."""

    role: str
    name: tuple[str, ...]  # forename, between, surname of a person; lines of an entity's name
    number: str | None  # None: a person
    form: str | None
    share: str | None  # as the register spells it
    percent: Decimal | None


@dataclass(frozen=True, slots=True)
class PartnerChange:
    """A partner's share that crossed thresholds."""

    owner: Owner
    as_of: date
    previous: Decimal
    current: Decimal


@dataclass(slots=True)
class Norwegian:
    """The registers' view of one company."""

    owners: list[Owner] = field(default_factory=list)
    since: date = date(2012, 5, 7)  # the day the group of roles changed last
