"""Renders Swedish annual reports as inline XBRL 1.1 in Bolagsverket's varieties (docs/formats/se.md 6).

Belongs here: the document of one set of accounts: K2 and K3, namespace versions, recommended and custom context
ids, kronor and thousands, group and company by segments, the multi-year overview; and accompanying documents of a
package. Does not belong here: packages and archives (`annual_reports`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Final
from xml.sax.saxutils import escape

from sandbox.companies.se.initial_state import THOUSANDS
from sandbox.model.company import Accounts, Company, Figures
from sandbox.numbers import hyphenated_number

_GENERAL: Final = "RedovisningInformationGenerellSegment"
_COMPANY: Final = "RedovisningInformationJuridiskPersonSegment"
_GROUP: Final = "RedovisningInformationKoncernSegment"
_SUFFIXES: Final = {"": "", _GENERAL: "_gem", _COMPANY: "_jur", _GROUP: "_kon"}
_BLANKS: Final = (" ", "\u00a0", "\u2009")  # thousands separators
_THOUSAND: Final = 1000
_OWN_IDS: Final = ("nuvarande", "tidigare1", "tidigare2", "tidigare3")
_SOCIETIES: Final = {"k2": "k2", "k2_2017": "k2", "k2_short": "k2", "k3": "k3", "k3k": "k3"}
_EDITIONS: Final = {"k2_2017": "2017-09-30", "k3": "2020-12-01"}
_LATEST: Final = "2021-10-31"
_SPACES: Final = (
    "http://www.taxonomier.se/se/fr/gen-base/{0}", "http://www.taxonomier.se/se/fr/cd-base/{0}",
    "http://www.bolagsverket.se/se/fr/comp-base/{0}", "http://www.far.se/se/fr/ar/base/{0}",
)  # fmt: skip

_CONTINUED: Final = ' continuedAt="more"'
_OPENING: Final = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:iso4217="http://www.xbrl.org/2003/iso4217"'
    ' xmlns:ixt="http://www.xbrl.org/inlineXBRL/transformation/2010-04-20"'
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:link="http://www.xbrl.org/2003/linkbase"'
    ' xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"'
    ' xmlns:se-k2-type="http://www.taxonomier.se/se/fr/k2/datatype"'
)


@dataclass(slots=True)
class ReportDocument:
    """Builder of one document; contexts and units are declared on first use."""

    company: Company
    accounts: Accounts
    edition: str = _LATEST
    contexts: dict[str, str] = field(default_factory=dict)
    hidden: list[str] = field(default_factory=list)

    @property
    def is_plain(self) -> bool:
        """True if the company's software writes numbers without any format."""
        return self.company.position % 5 == 4  # noqa: PLR2004 - one in five

    @property
    def unit(self) -> str:
        return "redovisningsvaluta" if self.company.position % 2 else self.accounts.currency

    def context(self, start: date | None, end: date, segment: str = "") -> str:
        """Context id of a period, or of a balance day if `start` is None."""
        back = self.accounts.end.year - end.year
        kind = "balans" if start is None else "period"
        own = self.company.position % 2
        name = f"{kind}{f'_{_OWN_IDS[back]}' if own else back}{_SUFFIXES[segment]}"
        if name not in self.contexts:
            stretch = (
                f"<xbrli:instant>{end}</xbrli:instant>"
                if start is None
                else f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
            )
            inside = f"<xbrli:segment><se-gen-base:{segment}/></xbrli:segment>" if segment else ""
            self.contexts[name] = (
                f'<xbrli:context id="{name}"><xbrli:entity>'
                f'<xbrli:identifier scheme="http://www.bolagsverket.se">{hyphenated_number(self.company.number)}'
                f"</xbrli:identifier>{inside}</xbrli:entity><xbrli:period>{stretch}</xbrli:period></xbrli:context>"
            )
        return name

    def amount(self, name: str, context: str, amount: int, *, thousands: bool) -> str:
        """Tagged amount. The text is unsigned; a minus is in the sign attribute."""
        printed = abs(amount) // _THOUSAND if thousands else abs(amount)
        blank = _BLANKS[self.company.position % len(_BLANKS)]
        text = str(printed) if self.is_plain else f"{printed:,}".replace(",", blank)
        unit = 'scale="3" decimals="-3"' if thousands else 'scale="0" decimals="INF"'
        shape = "" if self.is_plain else ' format="ixt:numspacecomma"'
        sign = ' sign="-"' if amount < 0 else ""
        return (
            f'<ix:nonFraction name="se-gen-base:{name}" contextRef="{context}" unitRef="{self.unit}" {unit}'
            f"{shape}{sign}>{text}</ix:nonFraction>"
        )

    def other(self, name: str, context: str, text: str, unit: str, *, scale: int = 0) -> str:
        """Tagged number that is not an amount."""
        shape = ' format="ixt:numcomma"' if "," in text else ""
        return (
            f'<ix:nonFraction name="se-gen-base:{name}" contextRef="{context}" unitRef="{unit}" decimals="INF"'
            f' scale="{scale}"{shape}>{text}</ix:nonFraction>'
        )

    def text_fact(self, name: str, context: str, text: str, more: str = "") -> str:
        return f'<ix:nonNumeric name="{name}" contextRef="{context}"{more}>{escape(text)}</ix:nonNumeric>'

    def render(self, body: list[str], schemas: list[str]) -> bytes:
        """Renders the document around a body that has already created the contexts."""
        spaces = [space.format(self.edition) for space in _SPACES]
        prefixes = ("se-gen-base", "se-cd-base", "se-bol-base", "se-ar-base")
        units = {
            self.unit: f"iso4217:{self.accounts.currency}",
            "procent": "xbrli:pure",
            "antal-anstallda": "se-k2-type:AntalAnstallda",
        }
        return "\n".join(
            [
                '<?xml version="1.0" encoding="UTF-8"?>',
                _OPENING,
                *(f' xmlns:{prefix}="{space}"' for prefix, space in zip(prefixes, spaces, strict=True)),
                (f"><head><title>{hyphenated_number(self.company.number)} {escape(self.company.name)}</title></head>"),
                '<body><div style="display:none"><ix:header>',
                f"<ix:hidden>{''.join(self.hidden)}</ix:hidden><ix:references>",
                *(f'<link:schemaRef xlink:type="simple" xlink:href="{schema}"/>' for schema in schemas),
                "</ix:references><ix:resources>",
                *self.contexts.values(),
                *(
                    f'<xbrli:unit id="{name}"><xbrli:measure>{measure}</xbrli:measure></xbrli:unit>'
                    for name, measure in units.items()
                ),
                "</ix:resources></ix:header></div>",
                *body,
                "</body></html>\n",
            ]
        ).encode()


def annual_report(company: Company, accounts: Accounts) -> bytes:
    """Renders the annual report; the same accounts give the same bytes."""
    paper = ReportDocument(company, accounts, _EDITIONS.get(accounts.document_style, _LATEST))
    segment = _COMPANY if accounts.group else ""
    body = [
        _front_page(paper, _GENERAL if accounts.group else ""),
        _multi_year_overview(paper, segment),
        *_year_statement(paper, accounts.figures, accounts.start, accounts.end, segment),
    ]
    if accounts.prior is not None:
        body += _year_statement(paper, accounts.prior, accounts.prior_start, accounts.prior_end, segment)
    if accounts.group is not None:
        body += _year_statement(paper, accounts.group, accounts.start, accounts.end, _GROUP)
    society = _SOCIETIES[accounts.document_style]
    variant = "risbs" if accounts.figures.revenue is not None else "riabs"
    name = f"se-{society}-{variant}-{paper.edition}.xsd"
    return paper.render(body, [f"http://xbrl.taxonomier.se/se/fr/gaap/{society}/{variant}/{paper.edition}/{name}"])


def _front_page(paper: ReportDocument, segment: str) -> str:
    """Company and year of the report, half of them as hidden facts."""
    company, accounts = paper.company, paper.accounts
    year = paper.context(accounts.start, accounts.end, segment)
    currency = (
        ("se-cd-base:Redovisningsvaluta", accounts.currency)
        if paper.edition == _EDITIONS["k2_2017"]
        else ("se-cd-base:RedovisningsvalutaHandlingList", f"se-mem-base:Redovisningsvaluta{accounts.currency}Member ")
    )
    paper.hidden += [
        paper.text_fact("se-cd-base:RakenskapsarForstaDag", year, str(accounts.start)),
        paper.text_fact("se-cd-base:RakenskapsarSistaDag", year, str(accounts.end)),
        paper.text_fact(currency[0], year, currency[1]),
    ]
    place = company.place.municipality if company.place else "Utlandet"
    return (
        f"<h1>{paper.text_fact('se-cd-base:ForetagetsNamn', year, company.name)}</h1>"
        f"<p>{paper.text_fact('se-cd-base:Organisationsnummer', year, hyphenated_number(company.number))}</p>"
        f"<p>{paper.text_fact('se-gen-base:AllmantVerksamheten', year, 'Påhittad verksamhet, ', _CONTINUED)}"
        '<ix:continuation id="more">och mer av den.</ix:continuation></p>'
        f"<p>{paper.text_fact('se-cd-base:ForetagetsSate', year, str(place))}, "
        f"{paper.text_fact('se-cd-base:UndertecknandeArsredovisningDatum', year, str(accounts.published))}</p>"
    )


def _multi_year_overview(paper: ReportDocument, segment: str) -> str:
    """Up to four years of revenue, rounded to thousands; the statements have the newest two exactly."""
    accounts = paper.accounts
    years = [(accounts.start, accounts.end, accounts.figures.revenue)]
    if accounts.prior is not None:
        years.append((accounts.prior_start, accounts.prior_end, accounts.prior.revenue))
    years += [(said.start, said.end, said.revenue) for said in accounts.overview_years]
    cells = [
        paper.amount("Nettoomsattning", paper.context(start, end, segment), round(revenue, -3), thousands=True)
        for start, end, revenue in years
        if revenue is not None
    ]
    said = accounts.figures
    ratio = (Decimal(said.equity) / said.total_assets * 100).quantize(Decimal("0.1"))
    if ratio >= 0:
        text = str(ratio).replace(".", ",")
        cells.append(paper.other("Soliditet", paper.context(None, accounts.end, segment), text, "procent", scale=-2))
    return "".join(f"<td>{cell}</td>" for cell in cells)


def _year_statement(paper: ReportDocument, said: Figures, start: date, end: date, segment: str) -> list[str]:
    """Income statement and balance sheet of one year and scope."""
    thousands = paper.accounts.document_style in THOUSANDS or paper.accounts.is_rounded_to_thousands
    year, day = paper.context(start, end, segment), paper.context(None, end, segment)
    odd = paper.company.position % 7
    flows = [
        ("Nettoomsattning", said.revenue),
        # concepts with the same prefix, and costs, which have no minus
        ("NettoomsattningTjanster", None if said.revenue is None else said.revenue // 2),
        ("Personalkostnader", said.total_assets // 3),
        ("Rorelseresultat", said.operating_result),
        ("ResultatEfterFinansiellaPoster", said.operating_result),
        ("AretsResultat", None if odd == 3 else said.net_result),  # noqa: PLR2004 - tagged in the balance alone
    ]
    if said.revenue is None:
        flows.append(("BruttoresultatForkortadFunktionsindelad", said.total_assets // 2))
    stocks = [
        ("Anlaggningstillgangar", said.fixed_assets),
        ("Tillgangar", None if odd == 5 else said.total_assets),  # noqa: PLR2004 - the other side alone
        ("AretsResultatEgetKapital", said.net_result),
        ("EgetKapital", said.equity),
        ("LangfristigaSkulder", said.long_creditors),
        ("KortfristigaSkulder", said.short_creditors),
        ("EgetKapitalSkulder", said.total_assets),
    ]
    placed = [(name, year, value) for name, value in flows] + [(name, day, value) for name, value in stocks]
    rows = [
        f"<p>{name}: {paper.amount(name, context, value, thousands=thousands)}</p>"
        for name, context, value in placed
        if value is not None
    ]
    if said.employees is not None:  # full-time equivalents, possibly fractional
        part = ",3" if odd == 2 else ""  # noqa: PLR2004 - one in seven
        rows.append(paper.other("MedelantaletAnstallda", year, f"{said.employees}{part}", "antal-anstallda"))
    return rows


def audit_report(company: Company, accounts: Accounts) -> bytes:
    """Renders an audit report filed separately: text about the company, no figures."""
    paper = ReportDocument(company, accounts)
    year = paper.context(accounts.start, accounts.end)
    body = [
        paper.text_fact("se-ar-base:Organisationsnummer", year, hyphenated_number(company.number)),
        paper.text_fact("se-ar-base:UttalandeText", year, "Vi har låtsats granska."),
        paper.text_fact("se-ar-base:RevisionAvslutandeDatum", year, str(accounts.published)),
    ]
    return paper.render(body, ["http://xbrl.taxonomier.se/se/fr/ar/rar/2020-12-01/se-ar-rar-2020-12-01.xsd"])


def adoption_certificate(company: Company, accounts: Accounts) -> bytes:
    """Renders the separately filed certificate that a meeting adopted the report."""
    paper = ReportDocument(company, accounts)
    adopted = str(accounts.published - timedelta(days=9))
    body = [paper.text_fact("se-bol-base:Arsstamma", paper.context(None, accounts.end), adopted)]
    return paper.render(body, ["http://xbrl.taxonomier.se/se/fr/coa/rplc/2020-12-01/se-coa-rplc-2020-12-01.xsd"])
