"""The staged table of roles, and which roles mean ownership (docs/formats/no.md 4).

Most roles are offices; only the few that mean ownership are staged: names of directors, auditors and administrators
of estates are redacted (`redact`). Does not belong here: reading (`dataset`), shares (`holdings`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "no.roller"
NUMBER: Final = "organisasjonsnummer"
GROUPS: Final = "rollegrupper"

PARTNER: Final = "DTPR"  # liable pro rata: the only role with a stated share
WHOLE: Final = ("HFOR", "EIKM", "INNH")  # head office of a branch, owner municipality, owner of a sole proprietorship
OWNERS: Final = (PARTNER, *WHOLE)
PUBLIC_FORMS: Final = ("KOMM", "FYLK", "STAT", "ORGL")

ROLES: Final = Table(
    "no_roller",
    "Owners of an entity according to its roles: one row per requested entity, also without owners.",
    (NUMBER,),
    (
        Column(NUMBER, ColumnKind.TEXT, "entity", nullable=False),
        Column(
            GROUPS,
            ColumnKind.JSON,
            "roles of ownership in force, each {type, sistEndret, person or enhet, ansvarsandel}",
            nullable=False,
        ),
    ),
)
STAGED: Final = {ROLES.name: ROLES}
