"""Links announcements and listed shares, which carry no organisation number, to companies.

See docs/formats/no.md 13.3.

Major holding notices come first: some print the issuer's organisation number, which also links its other
announcements through NewsWeb's issuer id. Then a name links to a company if exactly one matches: the whole name,
then the name without its legal form, which exchanges leave out («DNB BANK»). Only legal forms that list shares can
match. Does not belong here: how a link is followed (pipelines).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey, Link
from connectors.no.enheter.schema import ENTITIES, FORM, NAME
from connectors.no.euronext import SHARES
from connectors.no.newsweb import schema as newsweb
from connectors.no.newsweb.schema import FLAGS, ISSUER, ISSUERS, MESSAGES, TEXTS
from connectors.no.register import MARKET
from name_matching.name_columns import core_names, fold_texts

LISTED_FORMS: Final = ("ASA", "AS", "SPA")  # savings banks have equity certificates
Fold = Callable[[pl.Series], pl.Series]  # `fold_texts` or `issuer_cores`


def issuer_cores(names: pl.Series) -> pl.Series:
    """Names without their legal forms; exchanges write ø as o, so Nordic letters are folded too."""
    return fold_texts(core_names(names, MARKET))


def entity_key(fold: Fold) -> ComputedKey:
    """Link key of entity names, limited to legal forms that list shares."""
    return ComputedKey(f"{NAME}_{fold.__name__}", lambda rows: fold(_listable_names(rows)))


def _listable_names(rows: pl.DataFrame) -> pl.Series:
    return rows.select(pl.when(pl.col(FORM).is_in(LISTED_FORMS)).then(pl.col(NAME))).to_series()


def _issuer_key(column: str, fold: Fold) -> ComputedKey:
    return ComputedKey(f"{column.lower()}_{fold.__name__}", lambda rows: fold(rows[column]))


def _name_links(table: str, column: str) -> tuple[Link, ...]:
    return tuple(
        Link(table, _issuer_key(column, fold), ENTITIES.name, entity_key(fold)) for fold in (fold_texts, issuer_cores)
    )


def _announcement_links(table: str) -> tuple[Link, ...]:
    return Link(table, ISSUER, FLAGS.name, ISSUER), *_name_links(table, newsweb.NAME)


ANNOUNCEMENTS: Final = (
    *_name_links(FLAGS.name, newsweb.NAME),
    *_announcement_links(MESSAGES.name),
    *_announcement_links(TEXTS.name),
    *_announcement_links(ISSUERS.name),
)
LISTED_SHARES: Final = _name_links(SHARES.name, "Name")
