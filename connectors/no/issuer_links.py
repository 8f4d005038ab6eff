"""How announcements and listed shares, which name no organisation number, find their company.

See docs/formats/no.md 13.3.

Notices of major holdings first: some print the number of the issuer, and lead its other announcements there by
NewsWeb's own number of it. Then the whole name, then the name without its legal form. Does not belong here: how
names are compared (`issuer_names`), or how a link is followed (pipelines).
"""

from __future__ import annotations

from typing import Final

from connectors.declare import Link
from connectors.no.enheter_fields import ENTITIES
from connectors.no.euronext import SHARES
from connectors.no.issuer_names import core, entity_key, issuer_key, whole
from connectors.no.newsweb_fields import FLAGS, ISSUER, ISSUERS, MESSAGES, NAME, TEXTS


def _by_name(table: str, column: str) -> tuple[Link, ...]:
    return tuple(
        Link(table, issuer_key(column, make), ENTITIES.name, entity_key(make)) for make in (whole, core)
    )


def _announced(table: str) -> tuple[Link, ...]:
    return Link(table, ISSUER, FLAGS.name, ISSUER), *_by_name(table, NAME)


LINKS: Final = (
    *_by_name(FLAGS.name, NAME),
    *_announced(MESSAGES.name),
    *_announced(TEXTS.name),
    *_announced(ISSUERS.name),
    *_by_name(SHARES.name, "Name"),
)
