"""The staged tables of single filings: headers, removals from listing (25), ends of registration (15).

`submissions.schema` lists every filing of a filer; these tables hold details found only in the filing: whether
an 8-K has a press release, or a certificate of dissolution; the class of securities of a Form 25 or 15. Does
not belong here: reading (`sgml_header`, `form8k`, `form25`, `form15`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "us.headers"
ENDINGS_KEY: Final = "us.endings"

ACCESSION: Final = "accession"
CIK: Final = "cik"
ROLE: Final = "role"
FORM: Final = "form"
FILED: Final = "filed"
ACCEPTED: Final = "accepted_at"
PERIOD: Final = "period"
ITEMS: Final = "items"
EXHIBITS: Final = "exhibits"
FILE_NUMBER: Final = "file_number"

_T: Final = ColumnKind.TEXT
_ACCESSION: Final = Column(ACCESSION, _T, "accession number with dashes", nullable=False)

HEADERS: Final = Table(
    "us_header",
    "Headers of filings, one row per party that the header names. Names and addresses are not kept.",
    (ACCESSION, CIK, ROLE),
    (
        _ACCESSION,
        Column(CIK, _T, "ten digits of the party", nullable=False),
        Column(ROLE, _T, "FILER, SUBJECT-COMPANY, FILED-BY, ISSUER, REPORTING-OWNER, …", nullable=False),
        Column(FORM, _T, "form type", nullable=False),
        Column(FILED, ColumnKind.DATE, "day of filing"),
        Column(ACCEPTED, ColumnKind.INSTANT, "when it was accepted, US Eastern in the header"),
        Column(PERIOD, ColumnKind.DATE, "period of report; of an 8-K the day of the earliest event"),
        Column(ITEMS, ColumnKind.TEXTS, "items of an 8-K: 2.02; before 23 August 2004 1 to 12", nullable=False),
        Column(EXHIBITS, ColumnKind.TEXTS, "types of the documents in it: 8-K, EX-99.1", nullable=False),
        Column(FILE_NUMBER, _T, "SEC file number under which this party has it"),
    ),
)

SECURITY: Final = "security"
RULE: Final = "rule"
IS_SHARE: Final = "is_share"
EFFECTIVE: Final = "effective"

REMOVALS: Final = Table(
    "us_form25",
    "Removals of one class of securities from listing (25-NSE): most are of notes, warrants or preferred stock.",
    (ACCESSION, CIK),
    (
        _ACCESSION,
        Column(CIK, _T, "ten digits of the issuer", nullable=False),
        Column("exchange_cik", _T, "ten digits of the exchange"),
        Column("exchange", _T, "its name"),
        Column(FILE_NUMBER, _T, "SEC file number of the class"),
        Column(SECURITY, _T, "the class as described"),
        Column(IS_SHARE, ColumnKind.BOOLEAN, "ours: the description begins with shares of the company itself"),
        Column(RULE, _T, "paragraph of 17 CFR 240.12d2-2: (a)(1) to (a)(4), (b), (c)"),
        Column(FILED, ColumnKind.DATE, "day of filing, else of the signature"),
        Column(EFFECTIVE, ColumnKind.DATE, "ours: ten days after filing"),
    ),
)

REMAINING: Final = "remaining"

DEREGISTERED: Final = Table(
    "us_form15",
    "Ends of registration or of the duty to report, for the classes that the form covers (15-12B, 15-12G, 15-15D).",
    (ACCESSION, CIK),
    (
        _ACCESSION,
        Column(CIK, _T, "ten digits of the filer", nullable=False),
        Column(FORM, _T, "form type", nullable=False),
        Column(FILED, ColumnKind.DATE, "day of filing", nullable=False),
        Column(SECURITY, _T, "classes covered, as described"),
        Column(IS_SHARE, ColumnKind.BOOLEAN, "ours: shares of the company itself are among them"),
        Column(REMAINING, _T, "other classes with a duty to report; null if none is stated, or not read"),
        Column("is_last", ColumnKind.BOOLEAN, "ours: states that no other class remains; null if not read"),
    ),
)

SAYS: Final = "says"
DISSOLUTION: Final = "dissolution"
LIQUIDATION: Final = "liquidation"

WORDS: Final = Table(
    "us_words",
    "End of a filer according to the text of a current report, where no item states it.",
    (ACCESSION, CIK),
    (
        _ACCESSION,
        Column(CIK, _T, "ten digits of the filer", nullable=False),
        Column(FILED, ColumnKind.DATE, "day of filing", nullable=False),
        Column(SAYS, _T, "ours: dissolution or liquidation", nullable=False),
    ),
)

STAGED: Final = {table.name: table for table in (HEADERS, REMOVALS, DEREGISTERED, WORDS)}
