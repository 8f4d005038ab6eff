"""Owners of Norwegian companies on the first day, as far as roles show them.

Belongs here: partners, proprietors and head offices. Does not belong here: the register's format
(`sandbox.no.roller`), or the expected result (`expected`).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from sandbox import numbers, vocabulary
from sandbox.model.company import Company
from sandbox.model.no import RoleOwner
from sandbox.random import seeded_random

ELSEWHERE: Final = 25_000_000  # positions with numbers that belong to no company of the world


def role_owners(seed: int, company: Company) -> list[RoleOwner]:
    """Owners of a company on the first day, as far as roles show them: partners, a proprietor, a head office."""
    rng = seeded_random(seed, "NO", company.position, "roles")
    if company.form == "DA":
        return partner_owners(company, Decimal(60), Decimal(40))
    if company.form == "ENK":
        person = (rng.choice(vocabulary.FORENAMES), rng.choice(vocabulary.SURNAMES))
        return [RoleOwner("INNH", (person[0], "", person[1]), None, None, None, Decimal(100))]
    if company.form == "NUF":
        number = numbers.norwegian_number(ELSEWHERE + 3 * company.position)
        name = (f"MUSTER {company.position + 1}", "GMBH")
        return [RoleOwner("HFOR", name, number, "UTLA", None, Decimal(100))]
    return []


def partner_owners(company: Company, first: Decimal, second: Decimal) -> list[RoleOwner]:
    """Two companies that share a partnership; one share is written with a comma, as happens in real data."""
    found: list[RoleOwner] = []
    for place, percent in enumerate((first, second)):
        number = numbers.norwegian_number(ELSEWHERE + 3 * company.position + 1 + place)
        name = (f"DELTAKER {company.position + 1}-{place + 1}", "AS")
        share = f"{percent}%" if place else f"{percent},0 %"
        found.append(RoleOwner("DTPR", name, number, "AS", share, percent))
    return found
