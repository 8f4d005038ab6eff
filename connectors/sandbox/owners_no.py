"""Owners of Norwegian companies on the first day, as far as roles show them.

Belongs here: partners, proprietors and head offices. Does not belong here: the register's format (`roles_no`),
or the expected result (`truth_no`).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from connectors.sandbox import names, numbers
from connectors.sandbox.chance import dice
from connectors.sandbox.model import Company
from connectors.sandbox.model_no import Owner

ELSEWHERE: Final = 25_000_000  # positions with numbers that belong to no company of the world


def owners(seed: int, company: Company) -> list[Owner]:
    """Owners of a company on the first day, as far as roles show them: partners, a proprietor, a head office."""
    rng = dice(seed, "NO", company.position, "roles")
    if company.form == "DA":
        return partners(company, Decimal(60), Decimal(40))
    if company.form == "ENK":
        person = (rng.choice(names.FORENAMES), rng.choice(names.SURNAMES))
        return [Owner("INNH", (person[0], "", person[1]), None, None, None, Decimal(100))]
    if company.form == "NUF":
        number = numbers.norwegian(ELSEWHERE + 3 * company.position)
        name = (f"MUSTER {company.position + 1}", "GMBH")
        return [Owner("HFOR", name, number, "UTLA", None, Decimal(100))]
    return []


def partners(company: Company, first: Decimal, second: Decimal) -> list[Owner]:
    """Two companies that share a partnership; one share is written with a comma, as happens in real data."""
    found: list[Owner] = []
    for place, percent in enumerate((first, second)):
        number = numbers.norwegian(ELSEWHERE + 3 * company.position + 1 + place)
        name = (f"DELTAKER {company.position + 1}-{place + 1}", "AS")
        share = f"{percent}%" if place else f"{percent},0 %"
        found.append(Owner("DTPR", name, number, "AS", share, percent))
    return found
