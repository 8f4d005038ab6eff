"""Simulates EDGAR's feeds: the Atom feed of newest filings and the daily index, with an entry for each party.

See docs/formats/us.md 8.

Does not belong here: headers (`headers`), or which filings a day has (`files`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from html import escape
from typing import Final

from sandbox.companies.us.filings import company_cik
from sandbox.model.company import Company
from sandbox.model.us import FiledDocument, InsiderReport, ManagerReport, Schedule13Filing
from sandbox.us.headers import EXCHANGE, ITEMS
from sandbox.us.submissions import EASTERN

_WIDTH: Final = 80
_URL: Final = "https://www.sec.gov"


def filing_parties(company: Company, filing: FiledDocument) -> list[tuple[str, str, str]]:
    """CIK, name and role of every party that a feed lists for a filing."""
    own = (company_cik(company), company.name + company.form)
    match filing.ownership:
        case InsiderReport(person=person):
            return [(*own, "Issuer"), (person.cik or "", person.name, "Reporting")]
        case Schedule13Filing(persons=persons):
            filers = [(person.cik, person.name, "Filed by") for person in persons if person.cik]
            return [(*own, "Subject"), *filers]
        case ManagerReport(manager=manager):
            return [(manager.cik or "", manager.name, "Filer")]
        case None if filing.form == "25-NSE":
            return [(*own, "Subject"), (*EXCHANGE, "Filed by")]
        case None:
            return [(*own, "Filer")]


def atom_feed(entries: Iterable[tuple[Company, FiledDocument, tuple[str, str, str]]], at: datetime) -> str:
    """One page of the newest filings: an entry for each party."""
    stamp = at.astimezone(EASTERN)
    address = f"{_URL}/cgi-bin/browse-edgar?action=getcurrent"
    head = (
        '<?xml version="1.0" encoding="ISO-8859-1" ?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<title>Latest Filings - {stamp:%a, %d %b %Y %H:%M:%S %Z}</title>\n"
        '<link rel="alternate" href="/cgi-bin/browse-edgar?action=getcurrent"/>\n'
        '<link rel="self" href="/cgi-bin/browse-edgar?action=getcurrent"/>\n'
        f"<id>{address}</id>\n<author><name>Webmaster</name><email>webmaster@example.org</email></author>\n"
        f"<updated>{stamp.isoformat()}</updated>\n"
    )
    return head + "".join(_atom_entry(paper, party) for _, paper, party in entries) + "</feed>\n"


def _atom_entry(paper: FiledDocument, party: tuple[str, str, str]) -> str:
    number, name, role = party
    folder = f"{int(number)}/{paper.accession.replace('-', '')}/{paper.accession}"
    items = "".join(f"<br>Item {item}: {ITEMS.get(item, 'Other Events')}\n" for item in paper.items)
    summary = f"\n <b>Filed:</b> {paper.filed} <b>AccNo:</b> {paper.accession} <b>Size:</b> 13 KB\n{items}"
    return (
        f"<entry>\n<title>{paper.form} - {escape(name)} ({number}) ({role})</title>\n"
        f'<link rel="alternate" type="text/html" href="{_URL}/Archives/edgar/data/{folder}-index.htm"/>\n'
        f'<summary type="html">{escape(summary)}</summary>\n'
        f"<updated>{paper.accepted.astimezone(EASTERN).isoformat()}</updated>\n"
        f'<category scheme="{_URL}/" label="form type" term="{paper.form}"/>\n'
        f"<id>urn:tag:sec.gov,2008:accession-number={paper.accession}</id>\n</entry>\n"
    )


def master_index(filed: Iterable[tuple[Company, FiledDocument]], day: date) -> str:
    """The master index of a day: a line for each filing and party."""
    head = (
        "Description:           Daily Index of EDGAR Dissemination Feed\n"
        f"Last Data Received:    {day:%b %d, %Y}\nComments:              webmaster@example.org\n"
        "Anonymous FTP:         ftp://ftp.example.org/edgar/\n\n"
        f"CIK|Company Name|Form Type|Date Filed|File Name\n{'-' * _WIDTH}\n"
    )
    return head + "".join(
        f"{int(number)}|{name}|{paper.form}|{paper.filed:%Y%m%d}|edgar/data/{int(number)}/{paper.accession}.txt\n"
        for company, paper in filed
        for number, name, _ in filing_parties(company, paper)
    )
