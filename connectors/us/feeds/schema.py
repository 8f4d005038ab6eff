"""The staged tables of the feeds: which filings exist, as the newest ones and the indexes list them.

See docs/formats/us.md 8.

They only determine what to fetch; the filing comes from the submissions, the facts and the documents. One row per
filing and party, since one filing names several filers. Names of parties are not kept: many are persons. Does not
belong here: reading (`current_filings`, `edgar_index`), or which filings are fetched (`feeds.pending_filings`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

CURRENT_KEY: Final = "us.getcurrent"
INDEX_KEY: Final = "us.index"

ACCESSION: Final = "accession"
CIK: Final = "cik"
ROLE: Final = "role"
FORM: Final = "form"
FILED: Final = "filed_at"
ACCEPTED: Final = "accepted_at"
ITEMS: Final = "items"

_T: Final = ColumnKind.TEXT
_ACCESSION: Final = Column(ACCESSION, _T, "accession number with dashes", nullable=False)
_CIK: Final = Column(CIK, _T, "ten digits of a party's CIK", nullable=False)
_FORM: Final = Column(FORM, _T, "form type as the SEC spells it: 8-K, SC 13D/A", nullable=False)

CURRENT: Final = Table(
    "us_getcurrent",
    "Newest filings, one row per filing, party and role.",
    (ACCESSION, CIK, ROLE),
    (
        _ACCESSION,
        _CIK,
        Column(ROLE, _T, "Filer, Issuer, Reporting, Subject, Filed by, …", nullable=False),
        _FORM,
        Column(FILED, ColumnKind.DATE, "date of filing"),
        Column(ACCEPTED, ColumnKind.INSTANT, "when it was accepted: `updated`, which carries its offset"),
        Column(ITEMS, ColumnKind.TEXTS, "items of an 8-K or D: 2.02", nullable=False),
    ),
)

INDEX: Final = Table(
    "us_index",
    "Filings of a day or quarter as the indexes list them, one row per filing and party.",
    (ACCESSION, CIK),
    (_ACCESSION, _CIK, _FORM, Column(FILED, ColumnKind.DATE, "date of filing", nullable=False)),
)

FEEDS: Final = (CURRENT, INDEX)
