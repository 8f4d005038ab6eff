"""Outages of the producers behind the API «Värdefulla datamängder» (docs/formats/se.md 5): a partial failure is a 200.

Belongs here: which `fel` of a block is an outage, and of what number. Does not belong here: blocks that a working
producer does not have (`ORGANISATION_FINNS_EJ`), which is an answer.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from connectors.kit.json.body import member_at
from connectors.kit.json.chunks import MALFORMED

_OUTAGES: Final = frozenset({"OTILLGANGLIG_UPPGIFTSKALLA", "TIMEOUT"})


def outage_kinds(organisation: Any) -> list[str]:
    """The kinds of outage that the blocks of one organisation report, sorted; none if every producer answered."""
    blocks = organisation.values() if isinstance(organisation, dict) else ()
    return sorted({str(kind) for block in blocks if (kind := member_at(block, "fel", "typ")) in _OUTAGES})


def has_identity(organisation: Any) -> bool:
    """True if an organisation states its number, which is null while the producer of identities is out of order."""
    return bool(member_at(organisation, "organisationsidentitet", "identitetsbeteckning"))


def response_outages(body: bytes) -> tuple[list[str], bool]:
    """The kinds of outage in a response, and whether all of its organisations state their numbers."""
    try:
        organisations = member_at(msgspec.json.decode(body), "organisationer")
    except MALFORMED:
        return [], True
    listed = organisations if isinstance(organisations, list) else []
    return sorted({kind for one in listed for kind in outage_kinds(one)}), all(map(has_identity, listed))
