"""The staged table of roles, and which roles are ownership (docs/formats/no.md 4).

A role says who answers for whom; few say who owns. Those alone are staged: names of directors, auditors and
administrators of estates do not pass the door (`roller_redact`). Does not belong here: reading (`roller`), shares
(`roller_holdings`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, Kind, Table

KEY: Final = "no.roller"
NUMBER: Final = "organisasjonsnummer"
GROUPS: Final = "rollegrupper"

PARTNER: Final = "DTPR"  # answers pro rata: its share is the only one stated
WHOLE: Final = (
    "HFOR",
    "EIKM",
    "INNH",
)  # head office of a branch, owner municipality, owner of a sole proprietorship
OWNERS: Final = (PARTNER, *WHOLE)
PUBLIC_FORMS: Final = ("KOMM", "FYLK", "STAT", "ORGL")

ROLES: Final = Table(
    "no_roller",
    "Who owns an entity by its roles: one row per entity asked about, also where nobody does.",
    (NUMBER,),
    (
        Column(NUMBER, Kind.TEXT, "entity", nullable=False),
        Column(
            GROUPS,
            Kind.JSON,
            "roles of ownership in force, each {type, sistEndret, person or enhet, ansvarsandel}",
            nullable=False,
        ),
    ),
)
STAGED: Final = {ROLES.name: ROLES}
