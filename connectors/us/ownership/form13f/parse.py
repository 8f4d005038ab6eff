"""Parses Form 13F XML: the cover and the information table (docs/formats/us.md 7.4).

Values were thousands of dollars in filings before 3 January 2023 and are dollars since, whatever the quarter;
nothing in the file indicates which. Does not belong here: which documents a filing has (`dataset`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, Final

from lxml import etree

from connectors.contract.pieces import ArchiveMember
from connectors.kit.staging import SignalCounter
from connectors.kit.xml.parse import local_name
from connectors.us.ownership import parse_values as values
from connectors.us.ownership.form13f.schema import CUSIP, MANAGER, MANAGER_NAME
from connectors.us.ownership.xml import children_named, count_unknown_children, find_path, parse_tree, text_at
from connectors.us.register import central_index_key
from warehouse.schema.types import LARGEST_INTEGER

DOLLARS_SINCE: Final = date(2023, 1, 3)  # compared with the filing day, not the quarter
AMENDMENTS: Final = frozenset({"RESTATEMENT", "NEW HOLDINGS"})
_REPORTS: Final = frozenset({"13F HOLDINGS REPORT", "13F NOTICE", "13F COMBINATION REPORT"})
KINDS: Final = frozenset({"SH", "PRN"})
OPTIONS: Final = frozenset({"PUT", "CALL"})
_OMITTED: Final = "isConfidentialOmitted"
_THOUSAND: Final = Decimal(1000)
_CHEAPEST, _DEAREST = (Decimal("0.5"), Decimal(5_000))  # dollars per share; few of any manager's positions are outside
_FEW: Final = 0.5
_KNOWN: Final = frozenset(
    {
        *("nameOfIssuer", "titleOfClass", "cusip", "figi", "value", "shrsOrPrnAmt", "putCall"),
        *("investmentDiscretion", "otherManager", "votingAuthority"),
    }
)

Row = dict[str, Any]


def parse_cover(member: ArchiveMember, body: bytes, tally: SignalCounter) -> Row:
    """One cover page."""
    root = parse_tree(member, body, "edgarSubmission", tally)
    header, page = find_path(root, "headerData"), find_path(root, "formData", "coverPage")
    form = text_at(header, "submissionType") or ""
    if not form.startswith("13F") or page is None:
        raise member.unreadable_error(f"expected the cover of a 13F, found form «{form}»")
    info = find_path(header, "filerInfo")
    period = values.parse_day(text_at(info, "periodOfReport") or text_at(page, "reportCalendarOrQuarter"))
    if period is None:
        tally.add("no_day", "periodOfReport", member.name)
    report = text_at(page, "reportType")
    if report not in _REPORTS:
        tally.add("unknown_code", f"reportType {report}", member.name)
    summary = find_path(root, "formData", "summaryPage")
    return {
        "form": form,
        MANAGER: central_index_key(text_at(info, "filer", "credentials", "cik")),
        MANAGER_NAME: values.parse_name(text_at(page, "filingManager", "name")),
        "place": text_at(page, "filingManager", "address", "stateOrCountry"),
        "period": period,
        "amendment": _amendment_type(page, form, tally, member.name),
        "report": report,
        "entries": _entry_count(summary, tally, member.name),
        "value": values.format_number(values.parse_number(text_at(summary, "tableValueTotal"))),
        "isConfidential": values.read_flag(text_at(summary, _OMITTED), _OMITTED, tally, member.name) is True,
    }


def _entry_count(summary: etree._Element | None, tally: SignalCounter, example: str) -> int | None:
    told = text_at(summary, "tableEntryTotal")
    found = values.parse_number(told)
    if found is not None and 0 <= found <= LARGEST_INTEGER:
        return int(found)
    if told:
        tally.add("unreadable_value", "tableEntryTotal", example)
    return None


def _amendment_type(page: etree._Element, form: str, tally: SignalCounter, example: str) -> str | None:
    found = text_at(page, "amendmentInfo", "amendmentType")
    said = values.read_flag(text_at(page, "isAmendment"), "isAmendment", tally, example)
    is_amended = form.endswith("/A") or said is True
    if is_amended and (found or "").upper() not in AMENDMENTS:
        tally.add("unknown_code", f"amendmentType {found}", example)
    return found.upper() if found is not None and is_amended else None


def parse_positions(member: ArchiveMember, body: bytes, filed_on: date | None, tally: SignalCounter) -> list[Row]:
    """The rows of an information table. The filing day determines the unit of their values."""
    root = parse_tree(member, body, "informationTable", tally)
    found = list(_position_rows(root, tally, member.name))
    if _repeats_values(found):
        tally.add("shares_repeat_values", "sshPrnamt", member.name, len(found))
        found = [row | {"shares": None} for row in found]
    if filed_on is None and found:
        tally.add("unknown_unit", "value: the day of filing is not known", member.name)
        return found
    if filed_on is None:
        return found
    factor = Decimal(1) if filed_on >= DOLLARS_SINCE else _THOUSAND
    if _has_implausible_prices(found, factor):
        tally.add(
            "doubtful_unit", f"value: {'dollars' if factor == 1 else 'thousands'} by the day of filing", member.name
        )
        return found
    return [row | {"dollars": _scaled_value(row["value"], factor)} for row in found]


def _position_rows(root: etree._Element, tally: SignalCounter, example: str) -> Iterator[Row]:
    for entry in children_named(root, "infoTable"):
        count_unknown_children(entry, _KNOWN, tally, example)
        yield _position_row(entry, tally, example)
    for child in root:
        if local_name(child) not in ("infoTable", ""):
            tally.add("unknown_element", local_name(child), example)


def _position_row(entry: etree._Element, tally: SignalCounter, example: str) -> Row:
    shares = values.parse_shares(text_at(entry, "shrsOrPrnAmt", "sshPrnamt"))
    kind = text_at(entry, "shrsOrPrnAmt", "sshPrnamtType")
    option = text_at(entry, "putCall")
    cusip = values.parse_cusip(text_at(entry, "cusip"))
    if kind not in KINDS:
        tally.add("unknown_code", f"sshPrnamtType {kind}", example)
    if option is not None and option.upper() not in OPTIONS:
        tally.add("unknown_code", f"putCall {option}", example)
    if shares is None:
        tally.add("unreadable_value", "sshPrnamt", example)
    if cusip is None:
        tally.add("unreadable_value", "cusip", example)
    return {
        "issuer": values.parse_name(text_at(entry, "nameOfIssuer")),
        "classTitle": text_at(entry, "titleOfClass"),
        CUSIP: cusip,
        "value": values.format_number(values.parse_number(text_at(entry, "value"))),
        "shares": values.format_number(shares),
        "kind": kind,
        "option": option,
        "discretion": text_at(entry, "investmentDiscretion"),
        "others": text_at(entry, "otherManager"),
    }


def _repeats_values(rows: list[Row]) -> bool:
    """Whether most positions give their value as the number of shares: then no number of shares is known.

    Of several positions also a value in thousands: no two shares cost a thousand dollars, or a tenth of a cent, each.
    """
    held = [row for row in rows if row["kind"] == "SH" and row["option"] is None and row["value"] not in (None, "0")]
    pairs = [(Decimal(row["value"]), Decimal(row["shares"])) for row in held if row["shares"] is not None]
    factors = (1,) if len(pairs) == 1 else (1, _THOUSAND, 1 / _THOUSAND)
    same = max((sum(1 for value, shares in pairs if value == shares * factor) for factor in factors), default=0)
    return bool(held) and same > _FEW * len(held)


def _has_implausible_prices(rows: list[Row], factor: Decimal) -> bool:
    """Whether most positions imply an implausible price per share."""
    held = [
        (Decimal(row["value"]), Decimal(row["shares"]))
        for row in rows
        if row["value"] is not None and row["shares"] is not None and row["kind"] == "SH" and row["option"] is None
    ]
    prices = [value * factor / shares for value, shares in held if value > 0 and shares > 0]
    strange = sum(1 for price in prices if not _CHEAPEST <= price <= _DEAREST)
    return bool(prices) and strange > _FEW * len(prices)


def _scaled_value(value: str | None, factor: Decimal) -> str | None:
    return None if value is None else values.format_number(Decimal(value) * factor)
