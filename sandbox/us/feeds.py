"""Simulates EDGAR's feeds: the Atom feed of newest filings and the daily index, with an entry for each party.

See docs/formats/us.md 8.

Does not belong here: headers (`headers`), or which filings a day has (`files`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from html import escape
from typing import Final

from sandbox.model.company import Company
from sandbox.model.us import FiledDocument
from sandbox.us.headers import ITEMS, header_parties
from sandbox.us.submissions import EASTERN

_WIDTH: Final = 80
_URL: Final = "https://www.sec.gov"
_ROLES: Final = {  # by the role in a header
    "ISSUER": "Issuer",
    "REPORTING-OWNER": "Reporting",
    "SUBJECT-COMPANY": "Subject",
    "FILED-BY": "Filed by",
    "FILER": "Filer",
}


def filing_parties(company: Company, filing: FiledDocument) -> list[tuple[str, str, str]]:
    """CIK, name and role of every party that a feed lists for a filing, the company first."""
    parties = sorted(header_parties(company, filing), key=lambda party: not party.is_company)
    return [(party.cik, party.called, _ROLES[party.name]) for party in parties]


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
    return head + "".join(_atom_entry(filing, party) for _, filing, party in entries) + "</feed>\n"


def _atom_entry(filing: FiledDocument, party: tuple[str, str, str]) -> str:
    number, name, role = party
    folder = f"{int(number)}/{filing.accession.replace('-', '')}/{filing.accession}"
    items = "".join(f"<br>Item {item}: {ITEMS.get(item, 'Other Events')}\n" for item in filing.items)
    summary = f"\n <b>Filed:</b> {filing.filed} <b>AccNo:</b> {filing.accession} <b>Size:</b> 13 KB\n{items}"
    return (
        f"<entry>\n<title>{filing.form} - {escape(name)} ({number}) ({role})</title>\n"
        f'<link rel="alternate" type="text/html" href="{_URL}/Archives/edgar/data/{folder}-index.htm"/>\n'
        f'<summary type="html">{escape(summary)}</summary>\n'
        f"<updated>{filing.accepted.astimezone(EASTERN).isoformat()}</updated>\n"
        f'<category scheme="{_URL}/" label="form type" term="{filing.form}"/>\n'
        f"<id>urn:tag:sec.gov,2008:accession-number={filing.accession}</id>\n</entry>\n"
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
        f"{int(number)}|{name}|{filing.form}|{filing.filed:%Y%m%d}|edgar/data/{int(number)}/{filing.accession}.txt\n"
        for company, filing in filed
        for number, name, _ in filing_parties(company, filing)
    )
