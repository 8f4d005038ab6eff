"""Parses Forms 3, 4 and 5 XML: reporting owners and their lines of shares (docs/formats/us.md 7.3).

Derivatives are rights, not shares: they are not read. Does not belong here: summing (`insiders_holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree

from connectors.declare import Piece, Unreadable
from connectors.kit.staged import Tally
from connectors.us import holders_values as values
from connectors.us.holders_xml import at, children, count_unknown, local, text, tree
from connectors.us.insiders_fields import ISSUER, LINE, OWNER, OWNER_KEY
from connectors.us.register import central_index_key

_FORM: Final = re.compile(r"[345](?:/A)?")
_SCHEMA: Final = re.compile(r"X0[1-6]\d{2}")
_CODES: Final = frozenset("PSAMFGDCXJHILWZVEKOU")
_LINES: Final = {"nonDerivativeTransaction": True, "nonDerivativeHolding": False}
_ROOT: Final = frozenset(
    {
        *("schemaVersion", "documentType", "periodOfReport", "issuer", "reportingOwner", "aff10b5One"),
        *("nonDerivativeTable", "derivativeTable", "footnotes", "remarks", "ownerSignature"),
        *("notSubjectToSection16", "noSecuritiesOwned", "dateOfOriginalSubmission"),
        *("form3HoldingsReported", "form4TransactionsReported", "documentDescription", "testOrLive"),
    }
)
_FLAGS: Final = ("isDirector", "isOfficer", "isTenPercentOwner", "isOther")
_RELATION: Final = frozenset({*_FLAGS, "officerTitle", "otherText"})

Row = dict[str, Any]


def rows(piece: Piece, body: bytes, tally: Tally) -> list[Row]:
    """The lines of one form, for each of its owners; a row without a line for an owner without shares."""
    root = tree(piece, body, "ownershipDocument", tally)
    form = text(root, "documentType") or ""
    issuer = central_index_key(text(root, "issuer", "issuerCik"))
    if not _FORM.fullmatch(form) or issuer is None:
        raise Unreadable(piece.dataset, piece.name, f"form «{form}» of issuer {issuer}: expected 3, 4 or 5")
    version = text(root, "schemaVersion") or ""
    if not _SCHEMA.fullmatch(version):
        tally.add("unknown_schema", version or "none", piece.name)
    count_unknown(root, _ROOT, tally, piece.name)
    common = _common(root, form, issuer)
    if common["period"] is None:
        tally.add("no_day", "periodOfReport", piece.name)
    owners = [
        owner for found in children(root, "reportingOwner") if (owner := _owner(found, tally, piece.name))
    ]
    if not owners:
        raise Unreadable(piece.dataset, piece.name, "no reporting owner with a name")
    lines = list(_lines(root, tally, piece.name))
    return [
        common | owner | line | {LINE: f"{place}/{number}", "isJoint": len(owners) > 1, "isLead": place == 1}
        for place, owner in enumerate(owners, start=1)
        for number, line in (enumerate(lines, start=1) if lines else ((0, {}),))
    ]


def _common(root: etree._Element, form: str, issuer: str) -> Row:
    signed = (values.day(text(found, "signatureDate")) for found in children(root, "ownerSignature"))
    return {
        "form": form,
        "signedOn": max(filter(None, signed), default=None),
        "period": values.day(text(root, "periodOfReport")),
        ISSUER: issuer,
        "issuer": text(root, "issuer", "issuerName"),
        "symbol": text(root, "issuer", "issuerTradingSymbol"),
    }


def _owner(found: etree._Element, tally: Tally, example: str) -> Row | None:
    name = text(found, "reportingOwnerId", "rptOwnerName")
    if name is None:
        tally.add("no_holder", "rptOwnerName", example)
        return None
    relation = at(found, "reportingOwnerRelationship")
    count_unknown(relation, _RELATION, tally, example)
    return {
        "ownerCik": central_index_key(text(found, "reportingOwnerId", "rptOwnerCik")),
        OWNER: name,
        OWNER_KEY: values.name_key(name),
        "place": text(found, "reportingOwnerAddress", "rptOwnerState")
        or text(found, "reportingOwnerAddress", "rptOwnerCountry"),
        "officerTitle": text(relation, "officerTitle"),
        **{flag: values.flag(text(relation, flag)) for flag in _FLAGS},
    }


def _lines(root: etree._Element, tally: Tally, example: str) -> Iterator[Row]:
    table = at(root, "nonDerivativeTable")
    for line in table if table is not None else ():
        name = local(line)
        if name in _LINES:
            yield _line(line, tally, example, is_transaction=_LINES[name])
        elif name:
            tally.add("unknown_element", name, example)


def _line(line: etree._Element, tally: Tally, example: str, *, is_transaction: bool) -> Row:
    """One line; values are wrapped in elements, and some are only in a footnote."""
    title = _value(line, "securityTitle")
    counted = _value(line, "postTransactionAmounts", "sharesOwnedFollowingTransaction")
    shares = values.number(counted)
    if shares is None:
        tally.add("unreadable_value" if counted else "no_shares", "sharesOwnedFollowingTransaction", example)
    nature = _value(line, "ownershipNature", "directOrIndirectOwnership")
    if nature not in ("D", "I"):
        tally.add("unknown_code", f"directOrIndirectOwnership {nature}", example)
    code = text(line, "transactionCoding", "transactionCode")
    if is_transaction and code not in _CODES:
        tally.add("unknown_code", f"transactionCode {code}", example)
    return {
        "classTitle": title,
        "classKey": values.class_key(title),
        "isTransaction": is_transaction,
        "code": code,
        "day": values.day(_value(line, "transactionDate")),
        "change": _change(line),
        "shares": values.plain(shares),
        "isDirect": {"D": True, "I": False}.get(nature or ""),
        "nature": _value(line, "ownershipNature", "natureOfOwnership"),
        "notes": _notes(at(line, "ownershipNature", "natureOfOwnership")),
    }


def _change(line: etree._Element) -> str | None:
    amount = values.number(_value(line, "transactionAmounts", "transactionShares"))
    side = _value(line, "transactionAmounts", "transactionAcquiredDisposedCode")
    if amount is None or side not in ("A", "D"):
        return None
    return values.plain(amount if side == "A" else -amount)


def _notes(nature: etree._Element | None) -> str | None:
    found = children(nature, "footnoteId") if nature is not None else ()
    return ",".join(sorted(str(note.get("id")) for note in found)) or None


def _value(line: etree._Element, *path: str) -> str | None:
    return text(line, *path, "value")
