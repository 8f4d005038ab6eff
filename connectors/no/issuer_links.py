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
from connectors.no.euronext.dataset import SHARES
from connectors.no.issuer_names import entity_key, fold_name, issuer_key, strip_legal_form
from connectors.no.newsweb.schema import FLAGS, ISSUER, ISSUERS, MESSAGES, NAME, TEXTS


def _name_links(table: str, column: str) -> tuple[Link, ...]:
    return tuple(
        Link(table, issuer_key(column, make), ENTITIES.name, entity_key(make))
        for make in (fold_name, strip_legal_form)
    )


def _announcement_links(table: str) -> tuple[Link, ...]:
    return Link(table, ISSUER, FLAGS.name, ISSUER), *_name_links(table, NAME)


LINKS: Final = (
    *_name_links(FLAGS.name, NAME),
    *_announcement_links(MESSAGES.name),
    *_announcement_links(TEXTS.name),
    *_announcement_links(ISSUERS.name),
    *_name_links(SHARES.name, "Name"),
)
