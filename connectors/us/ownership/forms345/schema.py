"""The staged table of Forms 3, 4 and 5: one row per line of shares and reporting owner (docs/formats/us.md 7.3).

A line covers shares owned in one way, after a transaction or without one. Joint owners share their lines: each
has rows of their own, with the same shares. Does not belong here: parsing (`parse`), or summing
(`holdings`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Subject, Table

KEY: Final = "us.insiders"

SOURCE: Final = "source"
LINE: Final = "line"
ISSUER: Final = "issuerCik"
OWNER: Final = "owner"
OWNER_KEY: Final = "ownerKey"
_T, _B, _D = ColumnKind.TEXT, ColumnKind.BOOLEAN, ColumnKind.DATE

LINES: Final = Table(
    "us_insider",
    "Shares of insiders: one row per line and reporting owner of a Form 3, 4 or 5.",
    (SOURCE, LINE),
    (
        Column(SOURCE, _T, "accession number; the file's digest where nothing gives it", nullable=False),
        Column(LINE, _T, "owner/line, both from 1; line 0 where the form has no shares", nullable=False),
        Column("accession", _T, "accession number"),
        Column("form", _T, "3, 4, 5, with /A where amended", nullable=False),
        Column("filedOn", _D, "day of filing, from the header"),
        Column("signedOn", _D, "last day of a signature"),
        Column("originalOn", _D, "day of filing of the form that an amendment amends"),
        Column("period", _D, "period of report"),
        Column(ISSUER, _T, "ten digits of the issuer", nullable=False),
        Column("issuer", _T, "issuer as named"),
        Column("symbol", _T, "trading symbol"),
        Column("ownerCik", _T, "ten digits of the reporting owner"),
        Column(OWNER, _T, "reporting owner as named", nullable=False),
        Column(OWNER_KEY, _T, "the same made comparable", nullable=False),
        Column("place", _T, "EDGAR code of the owner's state or country"),
        Column("isDirector", _B, "director; null if the form does not state it"),
        Column("isOfficer", _B, "officer"),
        Column("isTenPercentOwner", _B, "owner of ten percent"),
        Column("isOther", _B, "of another kind"),
        Column("officerTitle", _T, "title of the officer"),
        Column("isJoint", _B, "several owners share the lines", nullable=False),
        Column("isLead", _B, "the first of them", nullable=False),
        Column("classTitle", _T, "title of the security"),
        Column("classKey", _T, "the same without its par value, comparable"),
        Column("isTransaction", _B, "a transaction, else a holding without one"),
        Column("code", _T, "code of the transaction"),
        Column("day", _D, "day of the transaction"),
        Column("change", _T, "shares acquired, or below nothing disposed of"),
        Column("shares", _T, "shares owned afterwards on this line; null if only a footnote states it"),
        Column("isDirect", _B, "directly owned"),
        Column("nature", _T, "nature of indirect ownership"),
        Column("notes", _T, "footnotes of the nature: the only distinction between two trusts"),
    ),
    subjects=(Subject(numbers=("issuerCik",), names=("issuer",)), Subject(numbers=("ownerCik",), names=("owner",))),
)
STAGED: Final = {LINES.name: LINES}
