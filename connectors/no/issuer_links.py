"""Links announcements and listed shares, which carry no organisation number, to companies.

See docs/formats/no.md 13.3.

Major holding notices come first: some print the issuer's organisation number, which also links its other
announcements through NewsWeb's issuer id. Then the whole name, then the name without its legal form. Does not
belong here: how names are compared (`issuer_names`), or how a link is followed (pipelines).
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
