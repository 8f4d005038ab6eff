"""Renders accounts as inline XBRL in the varieties that Companies House publishes (docs/formats/uk.md 8 and 9).

Belongs here: the document of one set of accounts: ix 1.0 and 1.1, number formats, scale, sign, dimensions,
group figures, comparatives, nil-like dashes, hidden facts. Does not belong here: plain XBRL (`xbrl`),
zips and names (`files`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final
from xml.sax.saxutils import escape

from sandbox.model.company import Accounts, Company, Figures
from sandbox.vocabulary import MONTHS

_THOUSAND: Final = 1000


@dataclass(frozen=True, slots=True)
class ProducerStyle:
    """Output style of a producer's software: versions, prefixes, formats, unit of amounts."""

    inline: str  # namespace of ix
    transforms: str  # namespace of ixt
    suite: str  # year of the FRC taxonomies
    core: str  # prefix of figures
    business: str  # prefix of facts about the entity
    number: str  # transform of numbers with commas
    dash: str  # transform of a dash that means zero
    long_date: str
    scale: int = 0
    software: str = "Sandbox Accounts"


_IX10: Final = ProducerStyle(
    "http://www.xbrl.org/2008/inlineXBRL", "http://www.xbrl.org/inlineXBRL/transformation/2010-04-20",
    "2024-01-01", "core", "bus", "numcommadot", "numdash", "datelonguk",
)  # fmt: skip
_IX11: Final = ProducerStyle(
    "http://www.xbrl.org/2013/inlineXBRL", "http://www.xbrl.org/inlineXBRL/transformation/2011-07-31",
    "2025-01-01", "frs-core", "frs-bus", "numdotdecimal", "zerodash", "datedaymonthyearen",
)  # fmt: skip
_IX11_THOUSANDS: Final = ProducerStyle(
    "http://www.xbrl.org/2013/inlineXBRL", "http://www.xbrl.org/inlineXBRL/transformation/2015-02-26",
    "2025-01-01", "d", "c", "numdotdecimal", "zerodash", "datedaymonthyearen", scale=3,
)  # fmt: skip
_STYLES: Final = {
    "micro": _IX11,
    "small": _IX10,
    "full": _IX11,
    "group": _IX11_THOUSANDS,
    "cic": _IX10,
    "dormant": _IX10,
}
_STANDARDS: Final = {"micro": "Micro-entities"}
_CONSOLIDATED: Final = ("GroupCompanyDataDimension", "Consolidated")
_WITHIN: Final = ("MaturitiesOrExpirationPeriodsDimension", "WithinOneYear")
_AFTER: Final = ("MaturitiesOrExpirationPeriodsDimension", "AfterOneYear")
_SHARE_CAPITAL: Final = ("EquityClassesDimension", "ShareCapital")
_REVISED: Final = "ReportAnAmendedRevisedVersionPreviouslyFiledReportTruefalse"
Dimension = tuple[str, str]


def is_marked_revised(company: Company, accounts: Accounts) -> bool:
    """True if a document states that it revises another; every second revision does."""
    return accounts.is_amended and company.position % 2 == 0


def render_accounts(company: Company, accounts: Accounts) -> bytes:
    """Renders the document; the same accounts give the same bytes."""
    style = _IX11_THOUSANDS if accounts.is_rounded_to_thousands else _STYLES[accounts.document_style]
    return _InlineDocument(company, accounts, style).render()


@dataclass(slots=True)
class _InlineDocument:
    company: Company
    accounts: Accounts
    style: ProducerStyle
    contexts: dict[str, str] = field(default_factory=dict)

    def render(self) -> bytes:
        """Renders the body first, since it creates the contexts declared in the header."""
        body = [self._title_block(), self._figures_table(self.accounts.figures, self.accounts.prior, ())]
        if self.accounts.group is not None:
            body.append(self._figures_table(self.accounts.group, None, (_CONSOLIDATED,)))
        hidden = self._hidden_facts()
        parts = [
            self._html_head(),
            '<body><div style="display:none">',
            self._inline_header(hidden),
            "</div>",
            *body,
            "</body></html>\n",
        ]
        return "\n".join(parts).encode()

    def _html_head(self) -> str:
        style, year = self.style, self.style.suite
        return (
            '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
            f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="{style.inline}"'
            f' xmlns:ixt="{style.transforms}"'
            ' xmlns:link="http://www.xbrl.org/2003/linkbase" xmlns:xlink="http://www.w3.org/1999/xlink"'
            ' xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:xbrldi="http://xbrl.org/2006/xbrldi"'
            ' xmlns:iso4217="http://www.xbrl.org/2003/iso4217"'
            f' xmlns:{style.core}="http://xbrl.frc.org.uk/fr/{year}/core"'
            f' xmlns:{style.business}="http://xbrl.frc.org.uk/cd/{year}/business">\n'
            f"<head><title>{escape(self.company.name)} - Accounts</title></head>"
        )

    def _context_id(self, kind: str, *dimensions: Dimension) -> str:
        """Id of a context, declared on first use.

        Kinds: `now` and `before` are durations; `end`, `start` and `opening` instants.
        """
        name = "_".join([kind, *(member for _, member in dimensions)])
        if name not in self.contexts:
            self.contexts[name] = _context_element(
                self.company.number, name, self._period_element(kind), self._segment_element(dimensions)
            )
        return name

    def _period_element(self, kind: str) -> str:
        accounts = self.accounts
        spans = {"now": (accounts.start, accounts.end), "before": (accounts.prior_start, accounts.prior_end)}
        if kind in spans:
            start, end = spans[kind]
            return f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
        opening = accounts.prior_start - timedelta(days=1)
        instant = {"end": accounts.end, "start": accounts.prior_end, "opening": opening}[kind]
        return f"<xbrli:instant>{instant}</xbrli:instant>"

    def _segment_element(self, dimensions: tuple[Dimension, ...]) -> str:
        members = "".join(
            f'<xbrldi:explicitMember dimension="{self._axis_prefix(axis)}:{axis}">'
            f"{self._axis_prefix(axis)}:{member}</xbrldi:explicitMember>"
            for axis, member in dimensions
        )
        return f"<xbrli:segment>{members}</xbrli:segment>" if members else ""

    def _axis_prefix(self, axis: str) -> str:
        figures = axis.startswith(("Maturities", "EquityClasses", "GroupCompany"))
        return self.style.core if figures else self.style.business

    def _text_fact(self, name: str, context: str, text: str, form: str | None = None) -> str:
        shape = f' format="ixt:{form}"' if form else ""
        return (
            f'<ix:nonNumeric name="{self.style.business}:{name}" contextRef="{context}"{shape}>{escape(text)}'
            "</ix:nonNumeric>"
        )

    def _title_block(self) -> str:
        end = self.accounts.end
        spelt = f"{end.day} {MONTHS[end.month - 1]} {end.year}"
        first, _, rest = self.company.name.partition(" ")
        # producers split a name over spans; its value is their concatenated text
        name = (
            f'<ix:nonNumeric name="{self.style.business}:EntityCurrentLegalOrRegisteredName"'
            f' contextRef="{self._context_id("now")}"><span>{escape(first)} </span><span>{escape(rest)}</span>'
            "</ix:nonNumeric>"
        )
        number = self._text_fact("UKCompaniesHouseRegisteredNumber", self._context_id("now"), self.company.number)
        day = self._text_fact("BalanceSheetDate", self._context_id("end"), spelt, self.style.long_date)
        return f"<h1>{name}</h1><p>Registered number: {number}</p><p>Balance sheet as at {day}</p>"

    def _hidden_facts(self) -> str:
        now, end, accounts = self._context_id("now"), self._context_id("end"), self.accounts
        standard = _STANDARDS.get(accounts.document_style, "FRS102")
        facts = [
            self._text_fact("StartDateForPeriodCoveredByReport", self._context_id("start"), accounts.start.isoformat()),
            self._text_fact("EndDateForPeriodCoveredByReport", end, accounts.end.isoformat()),
            # the format may carry the value while the text is empty (docs/formats/uk.md 9.2)
            self._text_fact("EntityDormantTruefalse", now, "true" if accounts.is_dormant else "false"),
            *([self._text_fact(_REVISED, now, "true")] if is_marked_revised(self.company, accounts) else []),
            self._text_fact("EntityTradingStatus", now, ""),
            self._text_fact("AccountsType", self._context_id("now", ("AccountsTypeDimension", "FullAccounts")), ""),
            self._text_fact(
                "AccountingStandardsApplied", self._context_id("now", ("AccountingStandardsDimension", standard)), ""
            ),
            self._text_fact("NameProductionSoftware", now, f"{self.style.software} {accounts.document}"),
        ]
        return "".join(facts)

    def _inline_header(self, hidden: str) -> str:
        entry = f"https://xbrl.frc.org.uk/FRS-102/{self.style.suite}/FRS-102-{self.style.suite}.xsd"
        units = (("GBP", "iso4217:GBP"), ("pure", "xbrli:pure"), ("shares", "xbrli:shares"))
        return "\n".join(
            [
                f"<ix:header><ix:hidden>{hidden}</ix:hidden><ix:references>",
                f'<link:schemaRef xlink:href="{entry}" xlink:type="simple"/></ix:references><ix:resources>',
                *self.contexts.values(),
                *(f'<xbrli:unit id="{name}"><xbrli:measure>{of}</xbrli:measure></xbrli:unit>' for name, of in units),
                "</ix:resources></ix:header>",
            ]
        )

    def _figures_table(self, now: Figures, before: Figures | None, scope: tuple[Dimension, ...]) -> str:
        rows: list[str] = []
        for label, concept, kinds, dimension in _LINES:
            cells = [self._fact_cell(concept, now, kinds[0], (*scope, *dimension))]
            if before is not None:
                cells.append(self._fact_cell(concept, before, kinds[1], (*scope, *dimension)))
            if any(cells):
                rows.append(f"<tr><td>{label}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
        if not scope:
            rows.append(self._share_capital())
        return "<table>\n" + "\n".join(rows) + "\n</table>"

    def _share_capital(self) -> str:
        """Renders share capital, a part of equity tagged as equity with a member.

        The opening balance belongs to no period of the document.
        """
        cells = [
            self._amount_fact("Equity", self._context_id(kind, _SHARE_CAPITAL), 0 if self.style.scale else 100)
            for kind in ("end", "start", "opening")
        ]
        return f"<tr><td>Called up share capital</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"

    def _fact_cell(self, concept: str, figures: Figures, kind: str, dimensions: tuple[Dimension, ...]) -> str:
        amount = _AMOUNTS[concept if concept != "Creditors" else dimensions[-1][1]](figures)
        if amount is None:
            return ""
        context = self._context_id(kind, *dimensions)
        if concept == "AverageNumberEmployeesDuringPeriod":
            return (
                f'<ix:nonFraction name="{self.style.core}:{concept}" contextRef="{context}" unitRef="pure"'
                f' decimals="0">{amount}</ix:nonFraction>'
            )
        # creditors are printed in brackets outside the tag, which are not a sign
        fact = self._amount_fact(concept, context, amount)
        return f"({fact})" if concept == "Creditors" and amount else fact

    def _amount_fact(self, concept: str, context: str, amount: int) -> str:
        style = self.style
        printed = abs(amount) // _THOUSAND if style.scale else abs(amount)
        attributes = f'name="{style.core}:{concept}" contextRef="{context}" unitRef="GBP"'
        if printed == 0:
            return f'<ix:nonFraction {attributes} decimals="0" format="ixt:{style.dash}">-</ix:nonFraction>'
        shape = f' decimals="{-style.scale}" format="ixt:{style.number}"'
        scale = f' scale="{style.scale}"' if style.scale else ""
        sign = ' sign="-"' if amount < 0 else ""
        return f"<ix:nonFraction {attributes}{shape}{scale}{sign}>{printed:,}</ix:nonFraction>"


def _context_element(number: str, name: str, period: str, segment: str) -> str:
    return (
        f'<xbrli:context id="{name}"><xbrli:entity><xbrli:identifier scheme="http://www.companieshouse.gov.uk/">'
        f"{number}</xbrli:identifier>{segment}</xbrli:entity><xbrli:period>{period}</xbrli:period></xbrli:context>"
    )


_DURATION: Final = ("now", "before")
_INSTANT: Final = ("end", "start")
_LINES: Final = (
    ("Turnover", "TurnoverRevenue", _DURATION, ()),
    ("Operating profit", "OperatingProfitLoss", _DURATION, ()),
    ("Profit for the financial year", "ProfitLoss", _DURATION, ()),
    ("Fixed assets", "FixedAssets", _INSTANT, ()),
    ("Current assets", "CurrentAssets", _INSTANT, ()),
    ("Creditors: amounts falling due within one year", "Creditors", _INSTANT, (_WITHIN,)),
    ("Net current assets", "NetCurrentAssetsLiabilities", _INSTANT, ()),
    ("Total assets less current liabilities", "TotalAssetsLessCurrentLiabilities", _INSTANT, ()),
    ("Creditors: amounts falling due after more than one year", "Creditors", _INSTANT, (_AFTER,)),
    ("Net assets", "NetAssetsLiabilities", _INSTANT, ()),
    ("Capital and reserves", "Equity", _INSTANT, ()),
    ("Average number of employees", "AverageNumberEmployeesDuringPeriod", _DURATION, ()),
)
_AMOUNTS: Final = {
    "TurnoverRevenue": lambda figures: figures.revenue,
    "OperatingProfitLoss": lambda figures: figures.operating_result,
    "ProfitLoss": lambda figures: figures.net_result,
    "FixedAssets": lambda figures: figures.fixed_assets,
    "CurrentAssets": lambda figures: figures.total_assets - figures.fixed_assets,
    "WithinOneYear": lambda figures: figures.short_creditors,
    "NetCurrentAssetsLiabilities": lambda figures: (
        figures.total_assets - figures.fixed_assets - figures.short_creditors
    ),
    "TotalAssetsLessCurrentLiabilities": lambda figures: figures.total_assets - figures.short_creditors,
    "AfterOneYear": lambda figures: figures.long_creditors,
    "NetAssetsLiabilities": lambda figures: figures.equity,
    "Equity": lambda figures: figures.equity,
    "AverageNumberEmployeesDuringPeriod": lambda figures: figures.employees,
}


def community_report(company: Company, end: date) -> bytes:
    """Renders the community interest report that accompanies the accounts; it has no relevant figures."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>CIC34</title>'
        f"</head><body><h1>{escape(company.name)}</h1><p>Report for the year to {end}.</p></body></html>\n"
    ).encode()
