"""The staged tables of Schedules 13D and 13G: one row per reporting person of one filing.

See docs/formats/us.md 7.1, 7.2.

Does not belong here: reading (`dataset`), or the mapping of a row (`holdings`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Subject, Table

KEY: Final = "us.schedule13"

SOURCE: Final = "source"
PERSON: Final = "person"
ISSUER: Final = "issuerCik"
CUSIP: Final = "cusip"
HOLDER: Final = "holder"
HOLDER_KEY: Final = "holderKey"
_T: Final = ColumnKind.TEXT

_COLUMNS: Final = (
    Column(SOURCE, _T, "accession number; the file's digest where nothing gives it", nullable=False),
    Column(PERSON, _T, "place of the reporting person in the filing, from 1", nullable=False),
    Column("accession", _T, "accession number"),
    Column("form", _T, "form type as filed: SCHEDULE 13G/A, SC 13D"),
    Column("isAmendment", ColumnKind.BOOLEAN, "an amendment of an earlier filing", nullable=False),
    Column("amendmentNo", _T, "its number"),
    Column("previousAccession", _T, "the filing that it amends"),
    Column("filedOn", ColumnKind.DATE, "day of filing, from the header"),
    Column("signedOn", ColumnKind.DATE, "last day of a signature"),
    Column(ISSUER, _T, "ten digits of the issuer; null where only a name is given"),
    Column("issuer", _T, "issuer as named"),
    Column("classTitle", _T, "class as titled"),
    Column("classKey", _T, "the class without its par value, comparable", nullable=False),
    Column(CUSIP, _T, "first CUSIP of the class"),
    Column("eventDate", ColumnKind.DATE, "day of the event that requires the filing"),
    Column("holderCik", _T, "ten digits of the reporting person"),
    Column(HOLDER, _T, "reporting person as named", nullable=False),
    Column(HOLDER_KEY, _T, "the same made comparable", nullable=False),
    Column("group", _T, "a: member of a group; b: disclaims to be one"),
    Column("place", _T, "citizenship or place of organisation: EDGAR code, or words in older forms"),
    Column("types", ColumnKind.TEXTS, "types of person: IN, CO, IA, …", nullable=False),
    Column("shares", _T, "aggregate amount owned, a decimal number"),
    Column("percent", ColumnKind.PERCENT, "percent of the class, as stated"),
    Column("percentBelow", ColumnKind.PERCENT, "the limit it is below, where no figure is given"),
    Column(
        "filingPercent", ColumnKind.PERCENT, "largest percentage in the filing: joint filers report the same shares"
    ),
    Column("isLead", ColumnKind.BOOLEAN, "the person that represents the filing's stake", nullable=False),
    Column("isExit", ColumnKind.BOOLEAN, "states that five percent or less is left", nullable=False),
    Column("isText", ColumnKind.BOOLEAN, "read from an older text form: low confidence", nullable=False),
)

STAKES: Final = Table(
    "us_schedule13",
    "Beneficial ownership with the issuer's CIK.",
    (SOURCE, PERSON),
    _COLUMNS,
    subjects=(Subject(numbers=("issuerCik",), names=("issuer",)), Subject(numbers=("holderCik",), names=("holder",))),
)
# A document without its header has no CIK: these rows are linked to their issuer by CUSIP, or stay unlinked
BARE: Final = Table(
    "us_schedule13_bare",
    "Beneficial ownership from documents that came without the header of their filing.",
    (SOURCE, PERSON),
    _COLUMNS,
    subjects=(Subject(numbers=("issuerCik",), names=("issuer",)), Subject(numbers=("holderCik",), names=("holder",))),
)
CUSIPS: Final = Table(
    "us_cusip",
    "Issuers of CUSIPs, from Schedules 13D and 13G.",
    (CUSIP, ISSUER),
    (
        Column(CUSIP, _T, "eight or nine signs", nullable=False),
        Column(ISSUER, _T, "ten digits of the issuer", nullable=False),
        Column("classTitle", _T, "class as titled"),
        Column("issuer", _T, "issuer as named"),
    ),
)
STAGED: Final = {table.name: table for table in (STAKES, BARE, CUSIPS)}
