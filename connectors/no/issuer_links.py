"""Links announcements and listed shares, which carry no organisation number, to companies.

See docs/formats/no.md 13.3.

Major holding notices come first: some print the issuer's organisation number, which also links its other
announcements through NewsWeb's issuer id. Then the whole name, then the name without its legal form. Does not
belong here: how names are compared (`issuer_names`), or how a link is followed (pipelines).
"""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Link
from connectors.no.enheter.schema import ENTITIES
from connectors.no.euronext import SHARES
from connectors.no.issuer_names import entity_key, issuer_cores, issuer_key
from connectors.no.newsweb.schema import FLAGS, ISSUER, ISSUERS, MESSAGES, NAME, TEXTS
from name_matching.name_columns import fold_texts


def _name_links(table: str, column: str) -> tuple[Link, ...]:
    return tuple(
        Link(table, issuer_key(column, fold), ENTITIES.name, entity_key(fold)) for fold in (fold_texts, issuer_cores)
    )


def _announcement_links(table: str) -> tuple[Link, ...]:
    return Link(table, ISSUER, FLAGS.name, ISSUER), *_name_links(table, NAME)


ANNOUNCEMENTS: Final = (
    *_name_links(FLAGS.name, NAME),
    *_announcement_links(MESSAGES.name),
    *_announcement_links(TEXTS.name),
    *_announcement_links(ISSUERS.name),
)
LISTED_SHARES: Final = _name_links(SHARES.name, "Name")
