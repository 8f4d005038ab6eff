"""American filings as EDGAR writes them: submissions, facts, headers, whole filings, Atom, index (FORMAT us 4-9).

Pure functions of companies and papers. Does not belong here: files and folders (`writers_us`), HTTP (`desk_us`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from html import escape
from typing import Any, Final
from zoneinfo import ZoneInfo

from connectors.sandbox import births_us
from connectors.sandbox.births_us import OWNER, cik
from connectors.sandbox.model import Accounts, Company, Figures
from connectors.sandbox.model_us import Paper

_EASTERN: Final = ZoneInfo("America/New_York")
_ITEMS: Final = {
    "2.02": "Results of Operations and Financial Condition",
    "9.01": "Financial Statements and Exhibits",
}
_FLOWS: Final = {
    "Revenues": "revenue",
    "OperatingIncomeLoss": "operating_result",
    "NetIncomeLoss": "net_result",
}
_BALANCES: Final = {
    "StockholdersEquity": "equity",
    "Assets": "total_assets",
    "LiabilitiesAndStockholdersEquity": "total_assets",
}
_ROLES: Final = {"4": ("Issuer", "ISSUER"), "25-NSE": ("Subject", "SUBJECT COMPANY")}
_EXCHANGE: Final = "0000876661"
Row = dict[str, Any]


def submissions(company: Company) -> Row:
    """The answer of the submissions interface: newest filings first, in columns."""
    papers = company.american.papers[::-1]
    place = company.place
    address = {
        "street1": company.street,
        "street2": None,
        "city": place and place.town,
        "stateOrCountry": place and place.code,
        "zipCode": place and place.postcode,
        "stateOrCountryDescription": place and place.code,
    }
    return {
        "cik": cik(company),
        "entityType": "operating",
        "sic": company.industry.code if company.industry else "",
        "sicDescription": company.industry.label if company.industry else "",
        "ownerOrg": "06 Technology",
        "insiderTransactionForOwnerExists": 0,
        "insiderTransactionForIssuerExists": 1,
        "name": company.name + company.form,
        "tickers": [symbol for symbol, _ in company.american.tickers],
        "exchanges": [exchange for _, exchange in company.american.tickers],
        "ein": "000000000",
        "lei": None,
        "description": "",
        "website": "",
        "investorWebsite": "",
        "category": "Non-accelerated filer<br>Smaller reporting company",
        "fiscalYearEnd": "0630",
        "stateOfIncorporation": "DE",
        "stateOfIncorporationDescription": "DE",
        "addresses": {"mailing": address, "business": address},
        "phone": "5550100",
        "flags": "",
        "formerNames": [
            {"name": name, "from": "2001-01-02T05:00:00.000Z", "to": f"{changed}T05:00:00.000Z"}
            for changed, name in company.former_names
        ],
        "filings": {"recent": _columns(company, papers), "files": []},
    }


def _columns(company: Company, papers: list[Paper]) -> Row:
    washed = company.american.is_washed
    return {
        "accessionNumber": [paper.accession for paper in papers],
        "filingDate": [str(paper.filed) for paper in papers],
        "reportDate": [str(paper.period or "") for paper in papers],
        "acceptanceDateTime": [_clock(paper.accepted, washed=washed) for paper in papers],
        "act": ["34"] * len(papers),
        "form": [paper.form for paper in papers],
        "fileNumber": ["001-90001"] * len(papers),
        "filmNumber": ["261234567"] * len(papers),
        "items": [",".join(paper.items) for paper in papers],
        "core_type": [paper.form for paper in papers],
        "size": [10_000] * len(papers),
        "isXBRL": [int(paper.is_xbrl) for paper in papers],
        "isInlineXBRL": [int(paper.is_xbrl) for paper in papers],
        "primaryDocument": ["doc.htm" for _ in papers],
        "primaryDocDescription": [paper.form for paper in papers],
    }


def _clock(instant: datetime, *, washed: bool) -> str:
    """UTC, or the clocks of Washington with a false Z."""
    shown = instant.astimezone(_EASTERN) if washed else instant
    return f"{shown:%Y-%m-%dT%H:%M:%S}.000Z"


def person() -> Row:
    """The one individual: EDGAR knows more of them than companies."""
    nobody = Company("US", 0, f"US{OWNER}", "SAMPLETON ADA", "", None, None, "", date(2020, 1, 1))
    found = submissions(nobody) | {"entityType": "other", "sic": "", "ein": None, "fiscalYearEnd": None}
    return found | {"insiderTransactionForOwnerExists": 1, "insiderTransactionForIssuerExists": 0}


def facts(company: Company) -> Row | None:
    """The answer of companyfacts; None for a filer without facts."""
    if not company.accounts:
        return None
    tags: dict[str, list[Row]] = {tag: [] for tag in (*_FLOWS, *_BALANCES)}
    for accounts in company.accounts:
        _add(tags, company, accounts, accounts.figures, accounts.start, accounts.end)
        if accounts.prior is not None:
            _add(tags, company, accounts, accounts.prior, accounts.prior_start, accounts.prior_end)
    us_gaap = {
        tag: {"label": tag, "description": None, "units": {"USD": found}}
        for tag, found in tags.items()
        if found
    }
    return {"cik": int(cik(company)), "entityName": company.name, "facts": {"us-gaap": us_gaap}}


def _add(
    tags: dict[str, list[Row]], company: Company, accounts: Accounts, said: Figures, start: date, end: date
) -> None:
    filing = {
        "accn": births_us.accession_of(company, accounts),
        "fy": accounts.end.year,  # of the filing, whatever the period
        "fp": "FY",
        "form": "10-K/A" if accounts.amended else "10-K",
        "filed": str(accounts.published),
    }
    for tag, name in _FLOWS.items():
        if getattr(said, name) is not None:
            tags[tag].append({"start": str(start), "end": str(end), "val": getattr(said, name), **filing})
    for tag, name in _BALANCES.items():
        tags[tag].append({"end": str(end), "val": getattr(said, name), **filing})


def header(company: Company, paper: Paper) -> str:
    """The header as tags: items as codes."""
    role = _ROLES.get(paper.form, ("Filer", "FILER"))[1].replace(" ", "-")
    eastern = paper.accepted.astimezone(_EASTERN)
    items = "".join(f"<ITEMS>{item}\n" for item in paper.items)
    period = f"<PERIOD>{paper.period:%Y%m%d}\n" if paper.period else ""
    return (
        f"<SEC-HEADER>{paper.accession}.hdr.sgml : {paper.filed:%Y%m%d}\n"
        f"<ACCEPTANCE-DATETIME>{eastern:%Y%m%d%H%M%S}\n<ACCESSION-NUMBER>{paper.accession}\n<TYPE>{paper.form}\n"
        f"<PUBLIC-DOCUMENT-COUNT>1\n{period}{items}<FILING-DATE>{paper.filed:%Y%m%d}\n"
        f"<{role}>\n<COMPANY-DATA>\n<CONFORMED-NAME>{company.name}\n<CIK>{cik(company)}\n</COMPANY-DATA>\n"
        f"<FILING-VALUES>\n<FORM-TYPE>{paper.form}\n<FILE-NUMBER>001-90001\n</FILING-VALUES>\n</{role}>\n"
        "</SEC-HEADER>\n"
    )


def header_page(company: Company, paper: Paper) -> str:
    """`-index-headers.html`: the header in a comment, then the documents, escaped."""
    listed = "".join(
        f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>{place}\n<FILENAME>doc{place}.htm\n<TEXT>\n</DOCUMENT>\n"
        for place, kind in enumerate((paper.form, *paper.exhibits), 1)
    )
    return (
        f"<HTML><HEAD><TITLE>EDGAR Submission {paper.accession}</TITLE>\n<!--\n{header(company, paper)}-->\n"
        f"</HEAD><BODY>\n<PRE>{escape(listed)}</PRE></BODY></HTML>\n"
    )


def whole(company: Company, paper: Paper) -> str:
    """The complete submission of a Form 25 or 15."""
    text = _removal(company, paper) if paper.form == "25-NSE" else _deregistration(paper)
    return (
        f"<SEC-DOCUMENT>{paper.accession}.txt : {paper.filed:%Y%m%d}\n{header(company, paper)}"
        f"<DOCUMENT>\n<TYPE>{paper.form}\n<SEQUENCE>1\n<TEXT>\n{text}\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n"
    )


def _removal(company: Company, paper: Paper) -> str:
    return (
        '<XML>\n<?xml version="1.0"?>\n<notificationOfRemoval><schemaVersion>X0203</schemaVersion>'
        f"<exchange><cik>{_EXCHANGE}</cik><entityName>INVENTED EXCHANGE LLC</entityName></exchange>"
        f"<issuer><cik>{int(cik(company))}</cik><entityName>{escape(company.name)}</entityName>"
        "<fileNumber>001-90001</fileNumber></issuer>"
        f"<descriptionClassSecurity>{paper.security}</descriptionClassSecurity>"
        f"<ruleProvision>17 CFR 240.12d2-2{paper.rule}</ruleProvision>"
        f"<signatureData><signatureDate>{paper.filed}</signatureDate></signatureData>"
        "</notificationOfRemoval>\n</XML>"
    )


def _deregistration(paper: Paper) -> str:
    return (
        "<html><body><p>(Address, including zip code, and telephone number of registrant's principal executive "
        f"offices)</p><p>{paper.security}</p><p>(Title of each class of securities covered by this Form)</p>"
        "<p>None</p><p>(Titles of all other classes of securities for which a duty to file reports remains)</p>"
        "</body></html>"
    )


def parties(company: Company, paper: Paper) -> list[tuple[str, str, str]]:
    """CIK, name and role of everybody whom a feed names with a filing."""
    found = [(cik(company), company.name + company.form, _ROLES.get(paper.form, ("Filer", ""))[0])]
    if paper.owner:
        found.append((paper.owner, "Sampleton Ada", "Reporting"))
    if paper.form == "25-NSE":
        found.append((_EXCHANGE, "INVENTED EXCHANGE LLC", "Filed by"))
    return found


def atom(entries: Iterable[tuple[Company, Paper, tuple[str, str, str]]], at: datetime) -> str:
    """One page of the newest filings: an entry for each party."""
    head = '<?xml version="1.0" encoding="ISO-8859-1" ?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
    stamp = at.astimezone(_EASTERN).isoformat()
    title = f"<title>Latest Filings</title>\n<id>getcurrent</id>\n<updated>{stamp}</updated>\n"
    return head + title + "".join(_entry(*entry) for entry in entries) + "</feed>\n"


def _entry(_company: Company, paper: Paper, party: tuple[str, str, str]) -> str:
    number, name, role = party
    folder = f"{int(number)}/{paper.accession.replace('-', '')}/{paper.accession}"
    items = "".join(f"\n<br>Item {item}: {_ITEMS.get(item, 'Other')}" for item in paper.items)
    summary = f"<b>Filed:</b> {paper.filed} <b>AccNo:</b> {paper.accession} <b>Size:</b> 13 KB{items}"
    return (
        f"<entry>\n<title>{paper.form} - {escape(name)} ({number}) ({role})</title>\n"
        f'<link rel="alternate" type="text/html" href="https://www.sec.gov/Archives/edgar/data/{folder}-index.htm"/>\n'
        f'<summary type="html">{escape(summary)}</summary>\n'
        f"<updated>{paper.accepted.astimezone(_EASTERN).isoformat()}</updated>\n"
        f'<category scheme="https://www.sec.gov/" label="form type" term="{paper.form}"/>\n'
        f"<id>urn:tag:sec.gov,2008:accession-number={paper.accession}</id>\n</entry>\n"
    )


def index(filed: Iterable[tuple[Company, Paper]], day: date) -> str:
    """The master index of a day: a line for each filing and party."""
    head = (
        "Description:           Daily Index of EDGAR Dissemination Feed\n"
        f"Last Data Received:    {day:%b %d, %Y}\n\nCIK|Company Name|Form Type|Date Filed|File Name\n{'-' * 80}\n"
    )
    return head + "".join(
        f"{int(number)}|{name}|{paper.form}|{paper.filed:%Y%m%d}|edgar/data/{int(number)}/{paper.accession}.txt\n"
        for company, paper in filed
        for number, name, _ in parties(company, paper)
    )


def quarter(day: date) -> str:
    return f"{day.year}/QTR{(day.month - 1) // 3 + 1}"


YESTERDAY: Final = timedelta(days=1)
