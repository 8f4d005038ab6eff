"""The staged tables of the change feeds (docs/formats/no.md 3): named subjects, and accounts reported by patches.

Patches are not applied: they give new values only, and only since 2025. A feed says which subjects to request;
their values come from the response. Only the feed has the day on which accounts were registered. Does not belong
here: reading pages (`dataset`), or requests (`enheter`, `underenheter`, `roller`).
"""

from __future__ import annotations

import re
from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "no.oppdateringer"
NUMBER: Final = "organisasjonsnummer"
STREAM: Final = "stroem"  # ours: which of the three feeds
ENTITIES, SUB_UNITS, ROLES = "enheter", "underenheter", "roller"
STREAMS: Final = (ENTITIES, SUB_UNITS, ROLES)
COLLECTIONS: Final = {"oppdaterteEnheter": ENTITIES, "oppdaterteUnderenheter": SUB_UNITS}

ID: Final = "oppdateringsid"
TIME: Final = "dato"
KIND: Final = "endringstype"
FIELDS: Final = "felt"  # ours: members changed by the patches
CHANGE: Final = "Endring"
REMOVED: Final = "Fjernet"
UNKNOWN: Final = "Ukjent"  # initial rows of 2018: no change
KINDS: Final = (UNKNOWN, "Ny", CHANGE, "Sletting", REMOVED)
OPERATIONS: Final = ("add", "replace", "remove", "move", "copy")

NAMED: Final = Table(
    "no_oppdateringer",
    "Latest change feed entries: one row per feed and entity; older ones only in the batches.",
    (STREAM, NUMBER),
    (
        Column(STREAM, ColumnKind.TEXT, "enheter, underenheter or roller", nullable=False, allowed=STREAMS),
        Column(NUMBER, ColumnKind.TEXT, "entity or sub-unit", nullable=False),
        Column(ID, ColumnKind.TEXT, "id of the entry; of the role feed its event's", nullable=False),
        Column(TIME, ColumnKind.INSTANT, "when the register changed, UTC"),
        Column(KIND, ColumnKind.TEXT, "Ny, Endring, Sletting, Fjernet, Ukjent; null in the role feed"),
        Column(FIELDS, ColumnKind.TEXTS, "top-level members that patches touch", nullable=False),
    ),
)

YEAR: Final = "sisteInnsendteAarsregnskap"  # as the source spells it
ACCOUNTS_TOLD: Final = Table(
    "no_aarsregnskap_meldt",
    "When annual accounts were registered: patches on sisteInnsendteAarsregnskap, one row each.",
    (NUMBER, YEAR, ID),
    (
        Column(NUMBER, ColumnKind.TEXT, "entity", nullable=False),
        Column(YEAR, ColumnKind.TEXT, "year of the accounts", nullable=False),
        Column(ID, ColumnKind.TEXT, "id of the entry", nullable=False),
        Column(TIME, ColumnKind.INSTANT, "when they were registered, UTC"),
    ),
)
STAGED: Final = {table.name: table for table in (NAMED, ACCOUNTS_TOLD)}

# Employee counts change in a monthly wave. The nightly bulk delivers them, so they cause no requests.
COUNTS: Final = frozenset(
    {
        "antallAnsatte",
        "harRegistrertAntallAnsatte",
        "registreringsdatoAntallAnsatteEnhetsregisteret",
        "registreringsdatoAntallAnsatteNAVAaregisteret",
    }
)


def is_numeric_id(text: str) -> bool:
    """True for a numeric id; `str.isdigit` accepts «²», which `int` rejects."""
    return re.fullmatch("[0-9]{1,18}", text) is not None
