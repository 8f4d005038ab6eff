"""Staged tables of `uk.nsm`, and comparison keys for names of holders and issuers.

See docs/formats/uk.md 10.3, 10.4.
"""

from __future__ import annotations

import re
from typing import Final

from connectors.contract.dataset import HostLimit
from name_matching.folding import fold_text
from warehouse.schema.types import Column, ColumnKind, Subject, Table

KEY: Final = "uk.nsm"
HOST: Final = "api.data.fca.org.uk"
LIMIT: Final = HostLimit(HOST, 1.0)
HOLDINGS_TYPE: Final = "Holding(s) in Company"
_T: Final = ColumnKind.TEXT
_P: Final = ColumnKind.PERCENT
_ID: Final = Column("id", _T, "_id of the announcement", nullable=False)
_LEI: Final = Column("lei", _T, "of the company that announces")

ITEMS: Final = Table(
    "uk_nsm_items",
    "Announcements as the search of the National Storage Mechanism lists them.",
    ("id",),
    (
        _ID,
        _LEI,
        Column("seq_id", _T, "as delivered"),
        Column("company", _T, "who announces; without the semicolon at its end"),
        Column("type", _T, "as «Holding(s) in Company»"),
        Column("type_code", _T, "as HOL, ACS"),
        Column("headline", _T, "as delivered"),
        Column("publication_date", _T, "as delivered"),
        Column("submitted_date", _T, "as delivered"),
        Column("document_date", _T, "as delivered"),
        Column("source", _T, "RNS, Portal, EQS …"),
        Column("tag_esef", _T, "Tagged where the document is structured"),
        Column("download_link", _T, "below https://data.fca.org.uk/artefacts/"),
        Column("html_link", _T, "the same"),
    ),
    subjects=(Subject(numbers=("lei",), names=("company",)),),
)
TR1: Final = Table(
    "uk_tr1",
    "Notifications of major holdings: what the text of a form TR-1 states.",
    ("id",),
    (
        _ID,
        Column("lei", _T, "of the issuer: of the company that announces, where that is the issuer"),
        Column("issuer", _T, "section 1, as written"),
        Column("isin", _T, "section 1"),
        Column("holder", _T, "section 3: name of the person subject to the obligation", nullable=False),
        Column("holder_key", _T, "the name as it is compared", nullable=False),
        Column("country", _T, "section 3, as written; the city is not kept"),
        Column("crossed_on", ColumnKind.DATE, "section 5"),
        Column("votes", _P, "section 7: per cent of votes attached to shares (8.A)"),
        Column("instruments", _P, "section 7: through financial instruments (8.B)"),
        Column("total", _P, "section 7: of both; null if it is only stated to be below the lowest threshold"),
        Column("is_below", ColumnKind.BOOLEAN, "the total is below the lowest threshold", nullable=False),
        Column("total_count", ColumnKind.INTEGER, "section 7: number of votes"),
        Column("previous_votes", _P, "section 7, row of the notification before"),
        Column("previous_total", _P, "the same, of both"),
        Column("submitted_date", _T, "of the announcement, as delivered"),
        Column("html_link", _T, "below https://data.fca.org.uk/artefacts/"),
    ),
    subjects=(Subject(numbers=("lei",), names=("issuer",)), Subject(names=("holder",))),
)
HOLDERS: Final = {TR1.name: ("holder", "holder_key")}

# words shared by many issuers, not distinctive
_COMMON: Final = frozenset(
    {
        "plc", "p", "l", "c", "limited", "ltd", "the", "and", "of",
        "co", "company", "group", "holdings", "holding", "public", "inc", "corporation", "corp",
        "sa", "se", "nv", "ag", "trust", "investment", "investments", "fund", "capital",
        "international", "global", "uk",
    }
)  # fmt: skip


# spelling variants in notices of one holder -> common form; empty if the word may be omitted
_SPELT: Final = {
    "ltd": "limited", "inc": "incorporated", "corp": "corporation", "co": "company", "and": "", "the": "",
    "mr": "", "mrs": "", "ms": "", "miss": "", "dr": "", "sir": "",
}  # fmt: skip
_LETTERS: Final = re.compile(r"\b(?:[a-z] ){1,4}[a-z]\b")  # p l c, s a r l


def normalise_holder_name(name: str) -> str:
    """Comparison key of a holder's name: no case, accents, punctuation or titles; legal forms in one spelling.

    Notices of one holder vary in spelling; differences that may mean another holder (other word or form) are kept.
    """
    joined = _LETTERS.sub(lambda found: found[0].replace(" ", ""), fold_text(name))
    return " ".join(filter(None, (_SPELT.get(word, word) for word in joined.split()))) or name


def issuer_words(name: str | None) -> frozenset[str]:
    """Distinctive words of an issuer's name."""
    return frozenset(fold_text(name or "").split()) - _COMMON
