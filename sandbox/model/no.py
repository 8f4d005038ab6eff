"""Norwegian data of a company beyond the shared model: its owners by role.

Belongs here: the classes that stories change and writers render. Does not belong here: rendering (`sandbox.no`), or
the expected results (`expected`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class RoleOwner:
    """One role of ownership: DTPR (a partner, with a share), INNH (a sole proprietor), HFOR (a head office)."""

    role: str
    name: tuple[str, ...]  # forename, between, surname of a person; lines of an entity's name
    number: str | None  # None: a person
    form: str | None
    share: str | None  # as the register spells it
    percent: Decimal | None


@dataclass(slots=True)
class NorwegianDetails:
    """Register data of one company."""

    owners: list[RoleOwner] = field(default_factory=list)
    since: date = date(2012, 5, 7)  # last change of the role group
