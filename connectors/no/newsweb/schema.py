"""The fields of NewsWeb (docs/formats/no.md 8): staged tables of announcements, in its own terms.

Belongs here: names and types, categories, and the members left in RAW. Does not belong here: reading (`dataset`,
`rows`), or what a text states (`periods`, `major_holdings`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Subject, Table

_T, _B, _D, _I, _P = (ColumnKind.TEXT, ColumnKind.BOOLEAN, ColumnKind.DATE, ColumnKind.INTEGER, ColumnKind.PERCENT)

KEY: Final = "no.newsweb"
HOST: Final = "newsweb.oslobors.no"
PAGE_URL: Final = f"https://{HOST}/message/"

ID: Final = "messageId"
ISSUER: Final = "issuerId"
CLIENT: Final = "clientAnnouncementId"
NAME: Final = "issuerName"
NUMBER: Final = "organisasjonsnummer"  # printed in a text, with a valid check digit
START: Final = "period_start"
END: Final = "period_end"
IS_DATED: Final = "period_is_dated"

_ISSUER: Final = (
    Column(ISSUER, _T, "number of the issuer; null in layouts that lack it"),
    Column("issuerSign", _T, "ticker"),
    Column(NAME, _T, "name of the issuer"),
)
_PERIOD: Final = (
    Column(START, _D, "first day of the period that the text states"),
    Column(END, _D, "last day of it"),
    Column(IS_DATED, _B, "true: the last day is stated; false: a year or quarter, taken for the calendar's"),
)

MESSAGES: Final = Table(
    "no_newsweb",
    "Announcements as a list heads them: one row per message.",
    (ID,),
    (
        Column(ID, _T, "number of the message", nullable=False),
        *_ISSUER,
        Column("publishedTime", ColumnKind.INSTANT, "published", nullable=False),
        Column("title", _T, "headline"),
        Column("category", ColumnKind.TEXTS, "numbers of categories", nullable=False),
        Column("markets", ColumnKind.TEXTS, "XOSL, XOAX, MERK, XOAM", nullable=False),
        Column("numbAttachments", _I, "attachments"),
        Column("correctionForMessageId", _T, "message that this one corrects"),
        Column("correctedByMessageId", _T, "message that corrects this one"),
        Column("oamMandatory", _B, "regulated information"),
        Column(CLIENT, _T, "id of the client's own, which versions in two languages may share"),
        *_PERIOD,
    ),
    subjects=(Subject(numbers=("issuerId",), names=("issuerName",)),),
)

TEXTS: Final = Table(
    "no_newsweb_tekst",
    "Period of an announcement, from its body and the names of its attachments.",
    (ID,),
    (Column(ID, _T, "number of the message", nullable=False), *_ISSUER, *_PERIOD),
    subjects=(Subject(numbers=("issuerId",), names=("issuerName",)),),
)

FLAGS: Final = Table(
    "no_newsweb_flagging",
    "Major holdings as the text of one announcement states them.",
    (ID, "holder"),
    (
        Column(ID, _T, "number of the message", nullable=False),
        Column("holder", _T, "the holder's name without case, accents and signs", nullable=False),
        *_ISSUER,
        Column(NUMBER, _T, "organisation number of the issuer, where the form prints it"),
        Column("publishedTime", ColumnKind.INSTANT, "published", nullable=False),
        Column("name", _T, "name of the holder", nullable=False),
        Column("country", _T, "country of the holder, ISO 3166-1 alpha-2"),
        Column("crossed_on", _D, "day of the crossing; of publication, if that is earlier", nullable=False),
        Column("votes_pct", _P, "share of votes attached to shares"),
        Column("votes_below", _P, "upper bound of that share, where the form states no more"),
        Column("instruments_pct", _P, "share of votes through instruments"),
        Column("capital_pct", _P, "share of capital"),
        Column("total_votes", _I, "voting rights of the issuer"),
    ),
    subjects=(Subject(numbers=("organisasjonsnummer", "issuerId"), names=("issuerName",)), Subject(names=("name",))),
)

ISSUERS: Final = Table(
    "no_newsweb_utsteder",
    "The directory of issuers, bond issuers and delisted ones included.",
    (ISSUER,),
    (
        Column(ISSUER, _T, "number of the issuer", nullable=False),
        Column("issuerSign", _T, "ticker"),
        Column(NAME, _T, "name"),
        Column("isActive", _B, "active: bonds alone are enough for that"),
    ),
)

STAGED: Final = {table.name: table for table in (MESSAGES, TEXTS, FLAGS, ISSUERS)}

ANNUAL: Final = "1001"
INTERIM: Final = ("1002", "1003", "1004")
FLAGGING: Final = "1006"
RATES: Final = "1105"  # interest rate adjustments: up to a third of a day's messages, not about companies
READ_WHOLE: Final = (ANNUAL, *INTERIM, FLAGGING)  # categories fetched as complete messages

# Known members of a message that are left in RAW.
IGNORED: Final = frozenset(
    {"id", "newsId", "instrId", "instrumentName", "instrumentFullName", "infoRequired", "test", "attachments", "body"}
)
