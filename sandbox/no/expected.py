"""Expected output for Norwegian owners by role.

See docs/contract/contract.md 4.4 and 4.6, docs/formats/no.md 4 and 13.5.

A partner's share is the one stated; a proprietor and a head office own the whole. A person is identified by
name alone. Does not belong here: code shared by all markets (`sandbox.expected`, `sandbox.expected_events`).
"""

from __future__ import annotations

from typing import Final

from sandbox.model.company import Company
from sandbox.model.no import RoleOwner
from sandbox.shared.expected_rows import HolderIdentity, Row, percentage_owner_row
from warehouse.schema import identifiers

REGISTER: Final = "no.roller"


def expected_owners(company: Company) -> list[Row]:
    """Owners by role, largest share first."""
    ordered = sorted(
        company.norwegian.owners, key=lambda owner: (-(owner.percent or 0), owner_identity(owner).native_id)
    )
    return [_owner_row(company, owner) for owner in ordered]


def _owner_row(company: Company, owner: RoleOwner) -> Row:
    place: tuple[str | None, str | None] = (None, None)
    if owner.number is not None and owner.form != "UTLA":
        place = ("NO", identifiers.company_id("NO", owner.number))
    return percentage_owner_row(company, owner_identity(owner), owner.percent, place)


def owner_identity(owner: RoleOwner) -> HolderIdentity:
    """The identity of an owner: the role with the number, or with a person's name."""
    name = " ".join(part for part in owner.name if part)
    kind = "person" if owner.number is None else "company"
    return HolderIdentity(REGISTER, f"{owner.role}:{owner.number or name.casefold()}", name, kind)
