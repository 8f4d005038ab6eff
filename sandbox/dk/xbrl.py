"""Renders a Danish annual report as XBRL and as inline XBRL (docs/formats/dk.md 5.1).

Belongs here: facts, contexts and namespaces of one report: general data, key figures with the year before, the group's
figures, decoys (gross result, parts of equity, a first wrong count of employees, the director's personal number). Does
not belong here: which documents a publication has (`publications`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Final
from xml.sax.saxutils import escape

from sandbox.dk.values import personal_number
from sandbox.model.company import Accounts, Company, Figures

_CLASSES: Final = {"b": "B", "b_revenue": "B", "c": "C", "c_group": "C", "c_inline": "C", "d_ifrs": "D"}
_ENTRY: Final = "http://archprod.service.eogs.dk/taxonomy/20241001/entryDanishGAAPBalanceSheetAccountFormIncomeStatementByNatureIncludingManagementsReviewStatisticsAndTax20241001.xsd"
_IFRS_ENTRY: Final = "http://archprod.service.eogs.dk/taxonomy/20241001/entryIFRS20241001.xsd"
_IFRS_SPACE: Final = "http://xbrl.ifrs.org/taxonomy/2024-03-27/ifrs-full"
# Names of a report's namespaces; the prefixes are arbitrary (`_prefixes`).
_SPACES: Final = {
    "fsa": "http://xbrl.dcca.dk/fsa",
    "gsd": "http://xbrl.dcca.dk/gsd",
    "cmn": "http://xbrl.dcca.dk/cmn",
    "arr": "http://xbrl.dcca.dk/arr",
}
_ROUNDED: Final = -3


@dataclass(frozen=True, slots=True)
class _Concepts:
    """Element names of the figures in one taxonomy, each with its space."""

    revenue: str
    gross: str
    operating: str
    before_tax: str
    net: str
    equity: str
    assets: str


_DANISH: Final = _Concepts(
    "fsa:Revenue",
    "fsa:GrossProfitLoss",
    "fsa:ProfitLossFromOrdinaryOperatingActivities",
    "fsa:ProfitLossFromOrdinaryActivitiesBeforeTax",
    "fsa:ProfitLoss",
    "fsa:Equity",
    "fsa:Assets",
)
_IFRS: Final = _Concepts(
    "ifrs-full:Revenue",
    "ifrs-full:GrossProfit",
    "ifrs-full:ProfitLossFromOperatingActivities",
    "ifrs-full:ProfitLossBeforeTax",
    "ifrs-full:ProfitLoss",
    "ifrs-full:Equity",
    "ifrs-full:Assets",
)


@dataclass(frozen=True, slots=True)
class _ReportFact:
    """One fact: text where `unit` is None, else a whole amount or count."""

    name: str
    context: str
    value: str | int
    unit: str | None = None


@dataclass(slots=True)
class _Report:
    """One report: its facts, and the contexts that they need."""

    company: Company
    accounts: Accounts
    contexts: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)  # id and element

    @property
    def concepts(self) -> _Concepts:
        return _IFRS if self.accounts.document_style == "d_ifrs" else _DANISH

    @property
    def prefixes(self) -> dict[str, str]:
        """Prefix by space: those of the taxonomy, or a producer's own."""
        odd = self.company.position % 4 == 1
        own = {name: f"e{place}" for place, name in enumerate(_SPACES)} if odd else {name: name for name in _SPACES}
        return own | {"ifrs-full": "ifrs-full"}

    def element(self, name: str) -> str:
        """A name with the document's own prefix."""
        space, _, local = name.partition(":")
        return f"{self.prefixes[space]}:{local}"

    def context(self, kind: str, dimension: str = "") -> str:
        """Id of a context, declared on first use: `now` and `before` last, `end` and `start` are days."""
        key = (kind, dimension)
        if key not in self.contexts:
            name = f"{kind}_{len(self.contexts)}" if dimension else kind
            scenario = f"<xbrli:scenario>{dimension}</xbrli:scenario>" if dimension else ""
            entity = f'<xbrli:identifier scheme="http://www.dcca.dk/cvr">{self.company.number}</xbrli:identifier>'
            element = (
                f'<xbrli:context id="{name}"><xbrli:entity>{entity}</xbrli:entity>'
                f"<xbrli:period>{self._period(kind)}</xbrli:period>{scenario}</xbrli:context>"
            )
            self.contexts[key] = (name, element)
        return self.contexts[key][0]

    def _period(self, kind: str) -> str:
        accounts = self.accounts
        spans = {"now": (accounts.start, accounts.end), "before": (accounts.prior_start, accounts.prior_end)}
        if kind in spans:
            start, end = spans[kind]
            return f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
        return f"<xbrli:instant>{ {'end': accounts.end, 'start': accounts.prior_end}[kind] }</xbrli:instant>"

    def member(self, axis: str, member: str) -> str:
        """An explicit member of a dimension; producers put blanks around its name."""
        return (
            f'<xbrldi:explicitMember dimension="{self.element(axis)}"> {self.element(member)} </xbrldi:explicitMember>'
        )

    def general_facts(self) -> Iterator[_ReportFact]:
        """Facts about the company and its period; the misspelling is the taxonomy's."""
        company, accounts, now = self.company, self.accounts, self.context("now")
        texts = {
            "gsd:IdentificationNumberCvrOfReportingEntity": company.number,
            "gsd:NameOfReportingEntity": company.name,
            "gsd:ReportingPeriodStartDate": accounts.start.isoformat(),
            "gsd:ReportingPeriodEndDate": accounts.end.isoformat(),
            "gsd:InformationOnTypeOfSubmittedReport": "Årsrapport",
        }
        if accounts.prior is not None:
            texts["gsd:PrecedingReportingPeriodStartDate"] = accounts.prior_start.isoformat()
            texts["gsd:PredingReportingPeriodEndDate"] = accounts.prior_end.isoformat()
        texts["gsd:DateOfGeneralMeeting"] = _meeting(accounts).isoformat()
        texts["fsa:ClassOfReportingEntity"] = f"Regnskabsklasse {_CLASSES[accounts.document_style]}"
        yield from (_ReportFact(name, now, text) for name, text in texts.items())

    def figure_facts(self) -> Iterator[_ReportFact]:
        """The key figures of both years, then the group's, then what must not be taken."""
        accounts = self.accounts
        yield from self._year_facts(accounts.figures, ("now", "end"))
        if accounts.prior is not None:
            yield from self._year_facts(accounts.prior, ("before", "start"))
        if accounts.group is not None:
            group = self.member("cmn:ConsolidatedSoloDimension", "cmn:ConsolidatedMember")
            yield from self._year_facts(accounts.group, ("now", "end"), group)
        capital = self.member("fsa:EquityComponentsDimension", "fsa:ContributedCapitalMember")
        yield _ReportFact("fsa:Equity", self.context("end", capital), 40_000, self.accounts.currency)

    def _year_facts(self, figures: Figures, kinds: tuple[str, str], scope: str = "") -> Iterator[_ReportFact]:
        names, unit = self.concepts, self.accounts.currency
        course, day = (self.context(kind, scope) for kind in kinds)
        operating, net = figures.operating_result or 0, figures.net_result or 0
        amounts = (
            (names.revenue, course, figures.revenue),
            (names.gross, course, operating + 1_234),
            (names.operating, course, operating),
            (names.before_tax, course, operating - 7),
            (names.net, course, net),
            (names.assets, day, figures.total_assets),
            (names.equity, day, figures.equity),
        )
        yield from (_ReportFact(name, where, amount, unit) for name, where, amount in amounts if amount is not None)
        if self.accounts.document_style != "d_ifrs":
            yield _ReportFact("fsa:LiabilitiesAndEquity", day, figures.total_assets, unit)
        if figures.employees is not None:
            wrong = [0] if self.company.position % 5 == 2 else []  # noqa: PLR2004 - one in five
            for count in (*wrong, figures.employees):
                yield _ReportFact("fsa:AverageNumberOfEmployees", course, count, "pure")

    def declarations(self) -> str:
        """Declarations of the namespaces of facts."""
        spaces = _SPACES | ({"ifrs-full": _IFRS_SPACE} if self.concepts is _IFRS else {})
        return " ".join(f'xmlns:{self.prefixes[name]}="{address}"' for name, address in spaces.items())

    @property
    def schema(self) -> str:
        address = _IFRS_ENTRY if self.concepts is _IFRS else _ENTRY
        return f'<link:schemaRef xlink:type="simple" xlink:href="{address}"/>'

    def resources(self) -> str:
        """Contexts and units; after the facts, which create the contexts."""
        units = ((self.accounts.currency, f"iso4217:{self.accounts.currency}"), ("pure", "xbrli:pure"))
        return "\n".join(
            [
                *(element for _, element in self.contexts.values()),
                *(f'<xbrli:unit id="{name}"><xbrli:measure>{of}</xbrli:measure></xbrli:unit>' for name, of in units),
            ]
        )

    def decimals(self, fact: _ReportFact) -> int:
        """Precision of an amount."""
        return _ROUNDED if self.accounts.is_rounded_to_thousands and fact.unit != "pure" else 0


_COMMON: Final = (
    'xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:link="http://www.xbrl.org/2003/linkbase"'
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xbrldi="http://xbrl.org/2006/xbrldi"'
    ' xmlns:iso4217="http://www.xbrl.org/2003/iso4217"'
)

_INLINE: Final = (
    'xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"'
    ' xmlns:ixt="http://www.xbrl.org/inlineXBRL/transformation/2015-02-26"'
)


def _meeting(accounts: Accounts) -> date:
    """Day of the general meeting that adopted the report."""
    return min(accounts.published, accounts.end.replace(year=accounts.end.year + 1))


def render_instance(company: Company, accounts: Accounts, *, with_figures: bool = True) -> bytes:
    """The report as an XBRL instance; without figures only its general data."""
    report = _Report(company, accounts)
    facts = [*report.general_facts(), *(report.figure_facts() if with_figures else ())]
    lines = [_instance_fact(report, fact) for fact in facts]
    signature = f"Direktør, {personal_number(company.position)}"
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<xbrli:xbrl {_COMMON} {report.declarations()}>'
    parts = [
        head,
        report.schema,
        report.resources(),
        *lines,
        f"<!-- {accounts.document}; {signature} -->",
        "</xbrli:xbrl>\n",
    ]
    return "\n".join(parts).encode()


def _instance_fact(report: _Report, fact: _ReportFact) -> str:
    name = report.element(fact.name)
    if fact.unit is None:
        return f'<{name} contextRef="{fact.context}">{escape(str(fact.value))}</{name}>'
    attributes = f'contextRef="{fact.context}" unitRef="{fact.unit}" decimals="{report.decimals(fact)}"'
    return f"<{name} {attributes}>{fact.value}</{name}>"


def render_inline(company: Company, accounts: Accounts) -> bytes:
    """The report as inline XBRL, with Danish separators of thousands."""
    report = _Report(company, accounts)
    hidden = "".join(_inline_fact(report, fact) for fact in report.general_facts())
    rows = [f"<tr><td>{fact.name.partition(':')[2]}</td><td>{_inline_fact(report, fact)}</td></tr>"
            for fact in report.figure_facts()]  # fmt: skip
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<html {_INLINE} {_COMMON} {report.declarations()}>",
        f"<head><title>{escape(company.name)}</title></head><body>",
        f'<div style="display:none"><ix:header><ix:hidden>{hidden}</ix:hidden><ix:references>{report.schema}',
        f"</ix:references><ix:resources>{report.resources()}</ix:resources></ix:header></div>",
        "<table>",
        *rows,
        f"<tr><td>Direktør</td><td>CPR-nr. {personal_number(company.position).replace('-', '')}</td></tr>",
        f"</table><!-- {accounts.document} --></body></html>\n",
    ]
    return "\n".join(parts).encode()


def _inline_fact(report: _Report, fact: _ReportFact) -> str:
    name, context = report.element(fact.name), fact.context
    if fact.unit is None:
        return f'<ix:nonNumeric name="{name}" contextRef="{context}">{escape(str(fact.value))}</ix:nonNumeric>'
    amount = int(fact.value)
    printed = f"{abs(amount):,}".replace(",", ".")
    sign = ' sign="-"' if amount < 0 else ""
    attributes = f'name="{name}" contextRef="{context}" unitRef="{fact.unit}" decimals="{report.decimals(fact)}"'
    return f'<ix:nonFraction {attributes} format="ixt:numcommadecimal"{sign}>{printed}</ix:nonFraction>'
