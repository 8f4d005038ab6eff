"""Converts one accounts document to figures by company, period, scope and currency. Pure.

Belongs here: the company, the balance date and the metadata of a document. Does not belong here: its periods
(`accounts_periods`), the choice among facts (`accounts_figures`), archives and frames (`accounts`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

from connectors.kit.facts import Context, Fact, Report, day, first_text
from connectors.kit.transforms import Unaccepted, loose_date
from connectors.kit.xbrl import read_report
from connectors.uk import tags
from connectors.uk.accounts_assets import total_assets
from connectors.uk.accounts_figures import Figures
from connectors.uk.accounts_periods import WEEK, Period, Periods
from warehouse.schema.identifiers import parse_scoped

_FILE_NAME: Final = re.compile(r"Prod22[34]_\d{1,6}_([A-Z0-9]{8})_(\d{8})(?:_[A-Z]+)?\.", re.IGNORECASE)
# Up to eight digits, prefix and digits, or eight characters with too many digits for a name («A NAME LTD»)
_NUMBER: Final = re.compile(r"\d{1,8}|[A-Z]{1,2}\d{1,7}|(?=(?:\D*\d){3})[A-Z0-9]{8}", re.ASCII)
_LENGTH: Final = 8
_NEARLY_WHOLE: Final = 7  # characters, with one leading zero dropped
_OURS: Final = "companieshouse"  # contained in the identifier scheme of company numbers
_TRUE: Final = frozenset({"true", "1", "yes"})
_FALSE: Final = frozenset({"false", "0", "no"})
_SCHEMAS: Final = (
    ("FRS-101", "FRS101"),
    ("FRS-102", "FRS102"),
    ("FRS-105", "FRS105"),
    ("IFRS", "IFRS"),
    ("uk/", "UKGAAP"),
)


class NoAccounts(Exception):  # noqa: N818 - says what the document is
    """The document is no set of accounts of a known company and day; the message states which part is missing."""


@dataclass(frozen=True, slots=True)
class Row:
    """Figures of one period and scope; None where the document tags none."""

    period: Period
    is_group: bool
    currency: str | None
    revenue: int | None
    operating_result: int | None
    net_result: int | None
    equity: int | None
    total_assets: int | None
    employees: int | None
    derived: tuple[str, ...]

    @property
    def has_figures(self) -> bool:
        """True if any figure is known."""
        figures = (
            self.revenue,
            self.operating_result,
            self.net_result,
            self.equity,
            self.total_assets,
            self.employees,
        )
        return any(figure is not None for figure in figures)


@dataclass(slots=True)
class Document:
    """Content of one document. A row has at least one figure; a document may have no rows."""

    number: str
    name: str | None
    balance_date: date
    dormant: bool | None
    standard: str | None
    accounts_type: str | None
    received: date | None
    is_amendment: bool
    period: Period
    rows: list[Row] = field(default_factory=list)
    signals: Counter[tuple[str, str]] = field(default_factory=Counter)


Said = Mapping[str, list[Fact]]


def company_number(text: str | None) -> str | None:
    """Company number in the register's eight-character form; filers drop leading zeros and add blanks."""
    folded = "".join((text or "").split()).upper()
    if _NUMBER.fullmatch(folded) is None:
        return None
    found = parse_scoped("UK", folded)
    if found is not None:
        return found.org_number
    return folded if len(folded) == _LENGTH else None


def named(file_name: str) -> tuple[str | None, date | None]:
    """Company number and balance date from a bulk file name; a nested document may get them from its zip."""
    found = _FILE_NAME.search(file_name)
    if found is None:
        return None, None
    year, month, day_of_month = found[2][:4], found[2][4:6], found[2][6:]
    return found[1].upper(), day(f"{year}-{month}-{day_of_month}", is_end=False)


def _day(said: Said, *names: str) -> date | None:
    for name in names:
        for fact in said.get(name, ()):
            try:
                found = day(loose_date(str(fact.value or "")), is_end=False)
            except Unaccepted:
                continue
            if found is not None:
                return found
    return None


def _truth(said: Said, name: str, end: date) -> bool | None:
    """Boolean fact for the document's own undimensioned period, else for any context."""

    def beside(fact: Fact) -> tuple[bool, bool]:
        context = fact.context
        return (context is None or context.end != end, context is not None and bool(context.dimensions))

    for fact in sorted(said.get(name, ()), key=beside):
        text = str(fact.value or "").strip().lower()
        if text in _TRUE or text in _FALSE:
            return text in _TRUE
    return None


def _entity_number(context: Context) -> str | None:
    """Company number of a context. In other schemes (LEI, a vendor's clients) only full-length numbers count."""
    scheme, entity = context.scheme, "".join(context.entity.split())
    if _OURS in scheme.lower():
        return company_number(entity) or company_number(scheme.rpartition("/")[2])
    whole = (text for text in (entity, scheme) if len(text) >= _NEARLY_WHOLE)
    return next(filter(None, map(company_number, whole)), None)


def _number(file_number: str | None, said: Said, report: Report) -> str:
    stated = next(
        filter(None, (company_number(first_text(said.get(name, ()))) for name in tags.NUMBER)), None
    )
    if file_number is not None and stated not in (None, file_number):
        report.signals["other_company_number", "than in the file's name, which counts"] += 1
    found = file_number or stated
    if found is None:
        contexts = (fact.context for fact in report.facts if fact.context is not None)
        found = next(filter(None, map(_entity_number, contexts)), None)
    if found is None:
        raise NoAccounts("no company number in its name, its facts or its contexts")
    return found


def _dormant(said: Said, end: date) -> bool | None:
    for name in tags.DORMANT:
        found = _truth(said, name, end)
        if found is not None:
            return found
    inverse = _truth(said, tags.NOT_DORMANT, end)
    return None if inverse is None else not inverse


def _member(said: Said, names: tuple[str, ...], axis: str) -> str | None:
    """Context member of a fact; some facts are empty elements with the value as member (docs/formats/uk.md 9.2)."""
    for name in names:
        for fact in said.get(name, ()):
            if fact.context is not None:
                for dimension in fact.context.dimensions:
                    if dimension.axis.startswith(axis):
                        return dimension.member
    return None


def _standard(said: Said, report: Report) -> str | None:
    member = _member(said, (tags.STANDARD,), "AccountingStandards")
    found = tags.STANDARDS.get(member or "")
    if found is not None:
        return found
    if member is not None:
        report.signals["unknown_accounting_standard", member] += 1
    if any("/ifrs" in (fact.namespace or "") for fact in report.facts):
        return "IFRS"
    return next((name for part, name in _SCHEMAS for schema in report.schemas if part in schema), None)


def _first(board: Mapping[str, Decimal], names: tuple[str, ...]) -> Decimal | None:
    for name in names:
        found = board.get(name)
        if found is not None:
            return found
    return None


def _row(figures: Figures, period: Period, is_group: bool) -> Row | None:
    """Figures of one scope and period; None without any."""
    flows = figures.board(is_group, period.start, period.end)
    balances = figures.board(is_group, None, period.end)
    if not flows and not balances:
        return None
    money = figures.money
    assets, is_derived = total_assets(balances)
    employees = _first(flows, tags.EMPLOYEES)
    if employees is None:
        employees = _first(balances, tags.EMPLOYEES)
    return Row(
        period,
        is_group,
        figures.currency,
        money(_first(flows, tags.REVENUE), "revenue"),
        money(_first(flows, tags.OPERATING_RESULT), "operating_result"),
        money(_first(flows, tags.NET_RESULT_OF_GROUP if is_group else tags.NET_RESULT), "net_result"),
        money(_first(balances, tags.EQUITY), "equity"),
        money(assets, "total_assets"),
        figures.heads(employees),
        ("total_assets",) if is_derived else (),
    )


def _balance_date(said: Said, named_date: date | None, figures: Figures) -> date:
    """Balance date by the document, its file name or its report period; the latest of those with figures.

    A date left over from last year's document has figures too, as comparatives. If none has figures, a period
    ending within a week is used: books may close on a Saturday while the register has the end of the month.
    """
    stated = (_day(said, tags.BALANCE_DATE), named_date, _day(said, tags.REPORT_END))
    days = [found for found in stated if found is not None]
    ends = {end for _, end in figures.flows} | set(figures.balances)
    if not days and not ends:
        raise NoAccounts("no balance date in its name or its facts")
    if not days:
        return max(ends)
    near = (ends & set(days)) or {end for end in ends if any(abs(end - found) <= WEEK for found in days)}
    return max(near, default=days[0])


def read_document(name: str, body: bytes) -> Document:
    """Parses one document with its bulk file name. Raises Malformed (no XBRL) or NoAccounts (no company or day)."""
    report = read_report(body, tags.WANTED, once=tags.ONCE)
    said: dict[str, list[Fact]] = {}
    for fact in report.facts:
        if fact.name in tags.METADATA:
            said.setdefault(fact.name, []).append(fact)
    if not report.facts:
        raise NoAccounts("nothing that is tagged in it belongs to UK accounts")
    file_number, named_date = named(name)
    figures = Figures(report.facts, report.signals)
    end = _balance_date(said, named_date, figures)
    periods = Periods(report, figures, end, _day(said, tags.REPORT_START))
    document = Document(
        number=_number(file_number, said, report),
        name=first_text(fact for key in tags.NAME for fact in said.get(key, ())),
        balance_date=end,
        dormant=_dormant(said, end),
        standard=_standard(said, report),
        accounts_type=_member(said, tags.ACCOUNTS_TYPE, "AccountsType"),
        received=_day(said, tags.RECEIVED),
        is_amendment=figures.is_revised or any(_truth(said, key, end) for key in tags.AMENDED),
        period=periods.own,
        signals=report.signals,
    )
    for period in (periods.own, *periods.comparatives()):
        rows = (_row(figures, period, is_group) for is_group in (False, True))
        document.rows += [row for row in rows if row is not None and row.has_figures]
    return document
