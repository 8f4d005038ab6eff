"""Parses Forms 3, 4 and 5 XML: reporting owners and their lines of shares (docs/formats/us.md 7.3).

Derivatives are rights, not shares: they are not read. Does not belong here: summing (`holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from lxml import etree

from connectors.contract.pieces import ArchiveMember
from connectors.kit.staging import SignalCounter
from connectors.kit.xml.parse import local_name
from connectors.us.ownership import parse_values as values
from connectors.us.ownership.forms345.schema import ISSUER, LINE, OWNER, OWNER_KEY
from connectors.us.ownership.xml import children_named, count_unknown_children, find_path, parse_tree, text_at
from connectors.us.register import central_index_key
from name_matching.folding import fold_text

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


def parse_insider_rows(member: ArchiveMember, body: bytes, tally: SignalCounter) -> list[Row]:
    """The lines of one form, for each of its owners; a row without a line for an owner without shares."""
    root = parse_tree(member, body, "ownershipDocument", tally)
    form = text_at(root, "documentType") or ""
    issuer = central_index_key(text_at(root, "issuer", "issuerCik"))
    if not _FORM.fullmatch(form) or issuer is None:
        raise member.unreadable_error(f"form «{form}» of issuer {issuer}: expected 3, 4 or 5")
    version = text_at(root, "schemaVersion") or ""
    if not _SCHEMA.fullmatch(version):
        tally.add("unknown_schema", version or "none", member.name)
    count_unknown_children(root, _ROOT, tally, member.name)
    signed = (text_at(found, "signatureDate") for found in children_named(root, "ownerSignature"))
    signed_on = values.last_signature_day(signed, member.observed_at.date(), tally, member.name)
    common = _common_fields(root, form, issuer, signed_on)
    if common["period"] is None:
        tally.add("no_day", "periodOfReport", member.name)
    found = (_owner_fields(owner, tally, member.name) for owner in children_named(root, "reportingOwner"))
    named = [owner for owner in found if owner is not None]
    owners = [owner for owner in named if owner["ownerCik"] != issuer]  # no company owns its own shares
    if len(owners) < len(named):
        tally.add("issuer_is_holder", "one CIK for both", member.name)
    if not owners:
        raise member.unreadable_error("no reporting owner with a name, other than the issuer")
    lines = list(_line_rows(root, tally, member.name))
    return [
        common | owner | line | {LINE: f"{place}/{number}", "isJoint": len(owners) > 1, "isLead": place == 1}
        for place, owner in enumerate(owners, start=1)
        for number, line in (enumerate(lines, start=1) if lines else ((0, {}),))
    ]


def _common_fields(root: etree._Element, form: str, issuer: str, signed_on: date | None) -> Row:
    return {
        "form": form,
        "signedOn": signed_on,
        "originalOn": values.parse_day(text_at(root, "dateOfOriginalSubmission")),
        "period": values.parse_day(text_at(root, "periodOfReport")),
        ISSUER: issuer,
        "issuer": values.parse_name(text_at(root, "issuer", "issuerName")),
        "symbol": text_at(root, "issuer", "issuerTradingSymbol"),
    }


def _owner_fields(found: etree._Element, tally: SignalCounter, example: str) -> Row | None:
    name = values.parse_name(text_at(found, "reportingOwnerId", "rptOwnerName"))
    if name is None:
        tally.add("no_holder", "rptOwnerName", example)
        return None
    relation = find_path(found, "reportingOwnerRelationship")
    count_unknown_children(relation, _RELATION, tally, example)
    return {
        "ownerCik": central_index_key(text_at(found, "reportingOwnerId", "rptOwnerCik")),
        OWNER: name,
        OWNER_KEY: fold_text(name),
        "place": text_at(found, "reportingOwnerAddress", "rptOwnerState")
        or text_at(found, "reportingOwnerAddress", "rptOwnerCountry"),
        "officerTitle": text_at(relation, "officerTitle"),
        **{flag: values.read_flag(text_at(relation, flag), flag, tally, example) for flag in _FLAGS},
    }


def _line_rows(root: etree._Element, tally: SignalCounter, example: str) -> Iterator[Row]:
    table = find_path(root, "nonDerivativeTable")
    for line in table if table is not None else ():
        name = local_name(line)
        if name in _LINES:
            yield _line_row(line, tally, example, is_transaction=_LINES[name])
        elif name:
            tally.add("unknown_element", name, example)


def _line_row(line: etree._Element, tally: SignalCounter, example: str, *, is_transaction: bool) -> Row:
    """One line; values are wrapped in elements, and some are only in a footnote."""
    title = _wrapped_value(line, "securityTitle")
    counted = _wrapped_value(line, "postTransactionAmounts", "sharesOwnedFollowingTransaction")
    shares = values.parse_shares(counted)
    if shares is None:
        tally.add("unreadable_value" if counted else "no_shares", "sharesOwnedFollowingTransaction", example)
    nature = _wrapped_value(line, "ownershipNature", "directOrIndirectOwnership")
    if nature not in ("D", "I"):
        tally.add("unknown_code", f"directOrIndirectOwnership {nature}", example)
    code = text_at(line, "transactionCoding", "transactionCode")
    if is_transaction and code not in _CODES:
        tally.add("unknown_code", f"transactionCode {code}", example)
    told = _wrapped_value(line, "transactionDate")
    day = values.parse_day(told)
    if told is not None and day is None:
        tally.add("unreadable_value", f"transactionDate {told}", example)
    return {
        "classTitle": title,
        "classKey": values.class_key(title),
        "isTransaction": is_transaction,
        "code": code,
        "day": day,
        "change": _share_change(line),
        "shares": values.format_number(shares),
        "isDirect": {"D": True, "I": False}.get(nature or ""),
        "nature": _wrapped_value(line, "ownershipNature", "natureOfOwnership"),
        "notes": _footnote_ids(find_path(line, "ownershipNature", "natureOfOwnership")),
    }


def _share_change(line: etree._Element) -> str | None:
    amount = values.parse_number(_wrapped_value(line, "transactionAmounts", "transactionShares"))
    side = _wrapped_value(line, "transactionAmounts", "transactionAcquiredDisposedCode")
    if amount is None or side not in ("A", "D"):
        return None
    return values.format_number(amount if side == "A" else -amount)


def _footnote_ids(nature: etree._Element | None) -> str | None:
    found = children_named(nature, "footnoteId") if nature is not None else ()
    return ",".join(sorted(str(note.get("id")) for note in found)) or None


def _wrapped_value(line: etree._Element, *path: str) -> str | None:
    return text_at(line, *path, "value")
