"""Converts one accounts document to figures by company, period, scope and currency. Pure.

Belongs here: the company, the balance date and the metadata of a document. Does not belong here: its periods
(`periods`), the choice among facts (`figures`), archives and frames (`dataset`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from connectors.kit.xbrl.facts import Context, Fact, XbrlReport, first_text, parse_day
from connectors.kit.xbrl.figures import first_day
from connectors.kit.xbrl.instance import read_report
from connectors.uk.accounts import concepts
from connectors.uk.accounts.figures import AccountsFigures
from connectors.uk.accounts.periods import WEEK, AccountsPeriod, DocumentPeriods
from connectors.uk.accounts.total_assets import first_stated, total_assets
from warehouse.schema.codes import FIGURES
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


class NotAccountsError(Exception):
    """The document is no set of accounts of a known company and day; the message states which part is missing."""


@dataclass(frozen=True, slots=True)
class AccountsRow:
    """Figures of one period and scope; None where the document tags none."""

    period: AccountsPeriod
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
        return any(getattr(self, name) is not None for name in FIGURES)


@dataclass(slots=True)
class AccountsDocument:
    """Content of one document. A row has at least one figure; a document may have no rows."""

    number: str
    name: str | None
    balance_date: date
    is_dormant: bool | None
    standard: str | None
    accounts_type: str | None
    received: date | None
    is_amendment: bool
    period: AccountsPeriod
    rows: list[AccountsRow] = field(default_factory=list)
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


def parse_file_name(file_name: str) -> tuple[str | None, date | None]:
    """Company number and balance date from a bulk file name; a nested document may get them from its zip."""
    found = _FILE_NAME.search(file_name)
    if found is None:
        return None, None
    digits = found[2]
    return found[1].upper(), parse_day(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}", is_end=False)


def _stated_day(said: Said, name: str) -> date | None:
    return first_day(said.get(name, ()))


def _stated_booleans(said: Said, name: str, period: AccountsPeriod) -> set[bool]:
    """Boolean facts for the document's own undimensioned period, else for any context that is of no earlier period.

    Several facts of one context may contradict each other.
    """

    def is_of_earlier_period(fact: Fact) -> bool:
        return fact.context is not None and fact.context.end is not None and fact.context.end < period.start

    def beside(fact: Fact) -> tuple[bool, bool]:
        context = fact.context
        return (context is None or context.end != period.end, context is not None and bool(context.dimensions))

    own = (fact for fact in said.get(name, ()) if not is_of_earlier_period(fact))
    stated = [(beside(fact), str(fact.value or "").strip().lower()) for fact in own]
    known = [(place, text in _TRUE) for place, text in stated if text in _TRUE | _FALSE]
    nearest = min((place for place, _ in known), default=None)
    return {value for place, value in known if place == nearest}


def _entity_number(context: Context) -> str | None:
    """Company number of a context. In other schemes (LEI, a vendor's clients) only full-length numbers count."""
    scheme, entity = context.scheme, "".join(context.entity.split())
    if _OURS in scheme.lower():
        return company_number(entity) or company_number(scheme.rpartition("/")[2])
    whole = (text for text in (entity, scheme) if len(text) >= _NEARLY_WHOLE)
    return next(filter(None, map(company_number, whole)), None)


def _find_company_number(file_number: str | None, said: Said, report: XbrlReport) -> str:
    """Company number of the file's name, else the one that the document tags, else the one of its contexts."""
    tagged = [fact for name in concepts.NUMBER for fact in said.get(name, ())]
    own = [fact for fact in tagged if fact.context is None or not fact.context.dimensions]
    stated = set(filter(None, (company_number(str(fact.value or "")) for fact in own or tagged)))
    entities = set(_entity_numbers(report.facts).values())
    if file_number is not None:
        if stated - {file_number}:
            report.signals["other_company_number", "than in the file's name, which counts"] += 1
        elif entities and file_number not in entities:
            report.signals["other_company_number", "in the contexts than in the file's name"] += 1
        return file_number
    found = stated or entities
    if not found:
        raise NotAccountsError("no company number in its name, its facts or its contexts")
    if len(found) > 1:
        raise NotAccountsError(f"several company numbers: {', '.join(sorted(found))}")
    return next(iter(found))


def _entity_numbers(facts: list[Fact]) -> dict[tuple[str, str], str]:
    """Company number by scheme and identifier of the facts' contexts, where there is one."""
    contexts = {(fact.context.scheme, fact.context.entity): fact.context for fact in facts if fact.context is not None}
    numbers = {entity: _entity_number(context) for entity, context in contexts.items()}
    return {entity: number for entity, number in numbers.items() if number is not None}


def _leave_out_other_companies(report: XbrlReport, number: str) -> None:
    """Leaves out the facts of other companies, where the document has contexts of its own company, too."""
    numbers = _entity_numbers(report.facts)
    if len(set(numbers.values())) < 2 or number not in numbers.values():  # noqa: PLR2004 - one company is no other
        return
    kept = [
        fact
        for fact in report.facts
        if fact.context is None or numbers.get((fact.context.scheme, fact.context.entity), number) == number
    ]
    report.signals["other_company_facts", "of contexts with another company number"] += len(report.facts) - len(kept)
    report.facts = kept


def _dormant_flag(said: Said, period: AccountsPeriod, report: XbrlReport) -> bool | None:
    """The first flag that the document has; None, with a signal, if its facts contradict each other."""
    for name in (*concepts.DORMANT, concepts.NOT_DORMANT):
        found = _stated_booleans(said, name, period)
        if len(found) > 1:
            report.signals["conflicting_facts", name] += 1
            return None
        if found:
            return found.pop() is (name != concepts.NOT_DORMANT)
    return None


def _dimension_member(said: Said, names: tuple[str, ...], axis: str) -> str | None:
    """Context member of a fact; some facts are empty elements with the value as member (docs/formats/uk.md 9.2)."""
    for name in names:
        for fact in said.get(name, ()):
            if fact.context is not None:
                for dimension in fact.context.dimensions:
                    if dimension.axis.startswith(axis):
                        return dimension.member
    return None


def _accounting_standard(said: Said, report: XbrlReport) -> str | None:
    member = _dimension_member(said, (concepts.STANDARD,), "AccountingStandards")
    found = concepts.STANDARDS.get(member or "")
    if found is not None:
        return found
    if member is not None:
        report.signals["unknown_accounting_standard", member] += 1
    if any("/ifrs" in (fact.namespace or "") for fact in report.facts):
        return "IFRS"
    return next((name for part, name in _SCHEMAS for schema in report.schemas if part in schema), None)


def _figure_row(figures: AccountsFigures, period: AccountsPeriod, is_group: bool) -> AccountsRow | None:
    """Figures of one scope and period; None without any."""
    flows = figures.values_by_concept(is_group, period.start, period.end)
    balances = figures.values_by_concept(is_group, None, period.end)
    if not flows and not balances:
        return None
    money = figures.money
    assets, is_derived = total_assets(balances)
    employees = first_stated(flows, concepts.EMPLOYEES)
    if employees is None:
        employees = first_stated(balances, concepts.EMPLOYEES)
    return AccountsRow(
        period,
        is_group,
        figures.currency,
        money(first_stated(flows, concepts.REVENUE), "revenue"),
        money(first_stated(flows, concepts.OPERATING_RESULT), "operating_result"),
        money(first_stated(flows, concepts.NET_RESULT_OF_GROUP if is_group else concepts.NET_RESULT), "net_result"),
        money(figures.equity(balances), "equity"),
        money(assets, "total_assets"),
        figures.heads(employees),
        ("total_assets",) if is_derived else (),
    )


def _balance_date(said: Said, named_date: date | None, figures: AccountsFigures) -> date:
    """Balance date by the document, its file name or its report period; the latest of those with figures.

    A date left over from last year's document has figures too, as comparatives. If none has figures, a period
    ending within a week is used: books may close on a Saturday while the register has the end of the month.
    """
    stated = (_stated_day(said, concepts.BALANCE_DATE), named_date, _stated_day(said, concepts.REPORT_END))
    days = [found for found in stated if found is not None]
    ends = figures.last_days()
    if not days and not ends:
        raise NotAccountsError("no balance date in its name or its facts")
    if not days:
        return max(ends)
    near = (ends & set(days)) or {end for end in ends if any(abs(end - found) <= WEEK for found in days)}
    return max(near, default=days[0])


def _received_day(said: Said, balance_date: date, report: XbrlReport) -> date | None:
    """Day of receipt; one before the balance date cannot be."""
    received = _stated_day(said, concepts.RECEIVED)
    if received is not None and received < balance_date:
        report.signals["impossible_date", concepts.RECEIVED] += 1
        return None
    return received


def _metadata_facts(report: XbrlReport) -> Said:
    said: dict[str, list[Fact]] = {}
    for fact in report.facts:
        if fact.name in concepts.METADATA:
            said.setdefault(fact.name, []).append(fact)
    return said


def parse_accounts_document(name: str, body: bytes) -> AccountsDocument:
    """Parses one document with its bulk file name.

    Raises MalformedMarkupError (no XBRL) or NotAccountsError (no company or day).
    """
    report = read_report(body, concepts.WANTED, once=concepts.ONCE)
    if not report.facts:
        raise NotAccountsError("nothing that is tagged in it belongs to UK accounts")
    file_number, named_date = parse_file_name(name)
    number = _find_company_number(file_number, _metadata_facts(report), report)
    _leave_out_other_companies(report, number)
    said = _metadata_facts(report)
    figures = AccountsFigures(report.facts, report.signals)
    end = _balance_date(said, named_date, figures)
    if any(day > end for day in figures.last_days()):
        report.signals["later_figures", "than the balance date: left out"] += 1
    periods = DocumentPeriods(report, figures, end, _stated_day(said, concepts.REPORT_START))
    document = AccountsDocument(
        number=number,
        name=first_text(fact for key in concepts.NAME for fact in said.get(key, ())),
        balance_date=end,
        is_dormant=_dormant_flag(said, periods.own, report),
        standard=_accounting_standard(said, report),
        accounts_type=_dimension_member(said, concepts.ACCOUNTS_TYPE, "AccountsType"),
        received=_received_day(said, end, report),
        is_amendment=figures.is_revised
        or any(True in _stated_booleans(said, key, periods.own) for key in concepts.AMENDED),
        period=periods.own,
        signals=report.signals,
    )
    for period in (periods.own, *periods.comparatives()):
        rows = (_figure_row(figures, period, is_group) for is_group in (False, True))
        document.rows += [row for row in rows if row is not None and row.has_figures]
    if document.rows and all(row.period.is_comparative for row in document.rows):
        report.signals["no_own_figures", "of the balance date"] += 1
    return document
