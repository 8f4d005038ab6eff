"""Parses Form 13F XML: the cover and the information table (docs/formats/us.md 7.4).

Values were thousands of dollars in filings before 3 January 2023 and are dollars since, whatever the quarter;
nothing in the file indicates which. Does not belong here: which documents a filing has (`form13f`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, Final

from lxml import etree

from connectors.declare import Piece, Unreadable
from connectors.kit.staged import Tally
from connectors.us import holders_values as values
from connectors.us.form13f_fields import CUSIP, MANAGER, MANAGER_NAME
from connectors.us.holders_xml import at, children, count_unknown, local, text, tree
from connectors.us.register import central_index_key
from warehouse.schema.types import LARGEST_INTEGER

DOLLARS_SINCE: Final = date(2023, 1, 3)  # compared with the filing day, not the quarter
AMENDMENTS: Final = frozenset({"RESTATEMENT", "NEW HOLDINGS"})
_REPORTS: Final = frozenset({"13F HOLDINGS REPORT", "13F NOTICE", "13F COMBINATION REPORT"})
_KINDS: Final = frozenset({"SH", "PRN"})
_OPTIONS: Final = frozenset({"PUT", "CALL"})
_THOUSAND: Final = Decimal(1000)
_CHEAPEST, _DEAREST = (
    Decimal("0.5"),
    Decimal(5_000),
)  # dollars per share; few of any manager's positions are outside
_FEW: Final = 0.5
_KNOWN: Final = frozenset(
    {
        *("nameOfIssuer", "titleOfClass", "cusip", "figi", "value", "shrsOrPrnAmt", "putCall"),
        *("investmentDiscretion", "otherManager", "votingAuthority"),
    }
)

Row = dict[str, Any]


def cover(piece: Piece, body: bytes, tally: Tally) -> Row:
    """One cover page."""
    root = tree(piece, body, "edgarSubmission", tally)
    header, page = at(root, "headerData"), at(root, "formData", "coverPage")
    form = text(header, "submissionType") or ""
    if not form.startswith("13F") or page is None:
        raise Unreadable(piece.dataset, piece.name, f"expected the cover of a 13F, found form «{form}»")
    info = at(header, "filerInfo")
    period = values.day(text(info, "periodOfReport") or text(page, "reportCalendarOrQuarter"))
    if period is None:
        tally.add("no_day", "periodOfReport", piece.name)
    report = text(page, "reportType")
    if report not in _REPORTS:
        tally.add("unknown_code", f"reportType {report}", piece.name)
    summary = at(root, "formData", "summaryPage")
    return {
        "form": form,
        MANAGER: central_index_key(text(info, "filer", "credentials", "cik")),
        MANAGER_NAME: text(page, "filingManager", "name"),
        "place": text(page, "filingManager", "address", "stateOrCountry"),
        "period": period,
        "amendment": _amendment(page, form, tally, piece.name),
        "report": report,
        "entries": _entries(summary, tally, piece.name),
        "value": values.plain(values.number(text(summary, "tableValueTotal"))),
    }


def _entries(summary: etree._Element | None, tally: Tally, example: str) -> int | None:
    told = text(summary, "tableEntryTotal")
    found = values.number(told)
    if found is not None and 0 <= found <= LARGEST_INTEGER:
        return int(found)
    if told:
        tally.add("unreadable_value", "tableEntryTotal", example)
    return None


def _amendment(page: etree._Element, form: str, tally: Tally, example: str) -> str | None:
    found = text(page, "amendmentInfo", "amendmentType")
    is_amended = form.endswith("/A") or values.flag(text(page, "isAmendment")) is True
    if is_amended and (found or "").upper() not in AMENDMENTS:
        tally.add("unknown_code", f"amendmentType {found}", example)
    return found.upper() if found is not None and is_amended else None


def positions(piece: Piece, body: bytes, filed_on: date | None, tally: Tally) -> list[Row]:
    """The rows of an information table. The filing day determines the unit of their values."""
    root = tree(piece, body, "informationTable", tally)
    found = list(_positions(root, tally, piece.name))
    if filed_on is None and found:
        tally.add("unknown_unit", "value: the day of filing is not known", piece.name)
        return found
    if filed_on is None:
        return found
    factor = Decimal(1) if filed_on >= DOLLARS_SINCE else _THOUSAND
    if _is_doubtful(found, factor):
        tally.add(
            "doubtful_unit",
            f"value: {'dollars' if factor == 1 else 'thousands'} by the day of filing",
            piece.name,
        )
        return found
    return [row | {"dollars": _scaled(row["value"], factor)} for row in found]


def _positions(root: etree._Element, tally: Tally, example: str) -> Iterator[Row]:
    for entry in children(root, "infoTable"):
        count_unknown(entry, _KNOWN, tally, example)
        yield _position(entry, tally, example)
    for child in root:
        if local(child) not in ("infoTable", ""):
            tally.add("unknown_element", local(child), example)


def _position(entry: etree._Element, tally: Tally, example: str) -> Row:
    shares = values.number(text(entry, "shrsOrPrnAmt", "sshPrnamt"))
    kind = text(entry, "shrsOrPrnAmt", "sshPrnamtType")
    option = text(entry, "putCall")
    cusip = values.cusip(text(entry, "cusip"))
    if kind not in _KINDS:
        tally.add("unknown_code", f"sshPrnamtType {kind}", example)
    if option is not None and option.upper() not in _OPTIONS:
        tally.add("unknown_code", f"putCall {option}", example)
    if shares is None:
        tally.add("unreadable_value", "sshPrnamt", example)
    if cusip is None:
        tally.add("unreadable_value", "cusip", example)
    return {
        "issuer": text(entry, "nameOfIssuer"),
        "classTitle": text(entry, "titleOfClass"),
        CUSIP: cusip,
        "value": values.plain(values.number(text(entry, "value"))),
        "shares": values.plain(shares),
        "kind": kind,
        "option": option,
        "discretion": text(entry, "investmentDiscretion"),
        "others": text(entry, "otherManager"),
    }


def _is_doubtful(rows: list[Row], factor: Decimal) -> bool:
    """Whether most positions imply an implausible price per share."""
    held = [
        (Decimal(row["value"]), Decimal(row["shares"]))
        for row in rows
        if row["value"] is not None
        and row["shares"] is not None
        and row["kind"] == "SH"
        and row["option"] is None
    ]
    prices = [value * factor / shares for value, shares in held if value > 0 and shares > 0]
    strange = sum(1 for price in prices if not _CHEAPEST <= price <= _DEAREST)
    return bool(prices) and strange > _FEW * len(prices)


def _scaled(value: str | None, factor: Decimal) -> str | None:
    return None if value is None else values.plain(Decimal(value) * factor)
