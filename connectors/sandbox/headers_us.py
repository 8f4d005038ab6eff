"""Renders a filing's header in both dialects, its header page, and the full submission (docs/formats/us.md 8).

`-index-headers.html` has tags with item codes, `.txt` has labels with item texts. Does not belong here: document
contents (`removals_us`, `schedule13_us`, `insiders_us`, `form13f_us`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from connectors.sandbox import form13f_us, insiders_us, removals_us, schedule13_us
from connectors.sandbox.filings_us import cik
from connectors.sandbox.model import Company
from connectors.sandbox.model_us import Insider, Managed, Paper, Stake
from connectors.sandbox.papers_us import EASTERN, EXCHANGE_ACT

EXCHANGE: Final = ("0000876661", "INVENTED EXCHANGE LLC")
ITEMS: Final = {
    "1.03": "Bankruptcy or Receivership",
    "2.01": "Completion of Acquisition or Disposition of Assets",
    "2.02": "Results of Operations and Financial Condition",
    "3.01": "Notice of Delisting or Failure to Satisfy a Continued Listing Rule or Standard; Transfer of Listing",
    "5.01": "Changes in Control of Registrant",
    "5.02": "Departure of Directors or Certain Officers; Election of Directors; Appointment of Certain Officers: "
    "Compensatory Arrangements of Certain Officers",
    "7.01": "Regulation FD Disclosure",
    "8.01": "Other Events",
    "9.01": "Financial Statements and Exhibits",
}


@dataclass(frozen=True, slots=True)
class _Role:
    """One party of a header: role, identity, and whether it is a company or an owner."""

    name: str
    cik: str
    called: str
    is_owner: bool = False
    is_company: bool = False  # the company that files or is filed about


def _roles(company: Company, paper: Paper) -> Iterator[_Role]:
    own = (cik(company), company.name + company.form)
    match paper.ownership:
        case Insider(person=person):
            yield _Role("REPORTING-OWNER", person.cik or "", person.name, is_owner=True)
            yield _Role("ISSUER", *own, is_company=True)
        case Stake(persons=persons):
            yield _Role("SUBJECT-COMPANY", *own, is_company=True)
            yield from (_Role("FILED-BY", one.cik, one.name) for one in persons if one.cik)
        case Managed(manager=manager):
            yield _Role("FILER", manager.cik or "", manager.name)
        case None if paper.form == "25-NSE":
            yield _Role("SUBJECT-COMPANY", *own, is_company=True)
            yield _Role("FILED-BY", *EXCHANGE)
        case None:
            yield _Role("FILER", *own, is_company=True)


def header(company: Company, paper: Paper) -> str:
    """Renders the header as tags, items as codes."""
    accepted = paper.accepted.astimezone(EASTERN)
    items = "".join(f"<ITEMS>{item}\n" for item in paper.items)
    period = f"<PERIOD>{paper.period:%Y%m%d}\n" if paper.period else ""
    return (
        f"<SEC-HEADER>{paper.accession}.hdr.sgml : {paper.filed:%Y%m%d}\n"
        f"<ACCEPTANCE-DATETIME>{accepted:%Y%m%d%H%M%S}\n<ACCESSION-NUMBER>{paper.accession}\n<TYPE>{paper.form}\n"
        f"<PUBLIC-DOCUMENT-COUNT>{1 + len(paper.exhibits)}\n{period}{items}<FILING-DATE>{paper.filed:%Y%m%d}\n"
        f"<DATE-OF-FILING-DATE-CHANGE>{paper.filed:%Y%m%d}\n"
        + "".join(_tagged(company, paper, role) for role in _roles(company, paper))
        + "</SEC-HEADER>\n"
    )


def _tagged(company: Company, paper: Paper, role: _Role) -> str:
    data = "OWNER-DATA" if role.is_owner else "COMPANY-DATA"
    sic = company.industry.code if role.is_company and company.industry else None
    more = (
        f"<ASSIGNED-SIC>{sic}\n<IRS-NUMBER>000000000\n<STATE-OF-INCORPORATION>DE\n<FISCAL-YEAR-END>0630\n"
        if sic
        else ""
    )
    street, town, state, code = _address(company)
    address = f"<STREET1>{street}\n<CITY>{town}\n<STATE>{state}\n<ZIP>{code}\n"
    return (
        f"<{role.name}>\n<{data}>\n<CONFORMED-NAME>{role.called}\n<CIK>{role.cik}\n{more}</{data}>\n"
        f"<FILING-VALUES>\n<FORM-TYPE>{paper.form}\n<ACT>34\n<FILE-NUMBER>{EXCHANGE_ACT}\n<FILM-NUMBER>261234567\n"
        f"</FILING-VALUES>\n<BUSINESS-ADDRESS>\n{address}<PHONE>5550100\n</BUSINESS-ADDRESS>\n"
        f"<MAIL-ADDRESS>\n{address}</MAIL-ADDRESS>\n{_former(company, role, tagged=True)}</{role.name}>\n"
    )


def labelled(company: Company, paper: Paper) -> str:
    """Renders the header as labels, items as texts."""
    accepted = paper.accepted.astimezone(EASTERN)
    period = f"CONFORMED PERIOD OF REPORT:\t{paper.period:%Y%m%d}\n" if paper.period else ""
    items = "".join(f"ITEM INFORMATION:\t\t{ITEMS[item]}\n" for item in paper.items)
    day = f"{paper.filed:%Y%m%d}"
    return (
        f"<SEC-HEADER>{paper.accession}.hdr.sgml : {day}\n<ACCEPTANCE-DATETIME>{accepted:%Y%m%d%H%M%S}\n"
        f"ACCESSION NUMBER:\t\t{paper.accession}\nCONFORMED SUBMISSION TYPE:\t{paper.form}\n"
        f"PUBLIC DOCUMENT COUNT:\t\t{1 + len(paper.exhibits)}\n{period}{items}"
        f"FILED AS OF DATE:\t\t{day}\nDATE AS OF CHANGE:\t\t{day}\n"
        + "".join(_section(company, paper, role) for role in _roles(company, paper))
        + "</SEC-HEADER>\n"
    )


def _section(company: Company, paper: Paper, role: _Role) -> str:
    street, town, state, code = _address(company)
    address = (
        f"\t\tSTREET 1:\t\t{street}\n\t\tCITY:\t\t\t{town}\n\t\tSTATE:\t\t\t{state}\n\t\tZIP:\t\t\t{code}\n"
    )
    industry = company.industry
    more = (
        f"\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\t{industry.label.upper()} [{industry.code}]\n"
        "\t\tIRS NUMBER:\t\t\t\t000000000\n\t\tSTATE OF INCORPORATION:\t\t\tDE\n\t\tFISCAL YEAR END:\t\t\t0630\n"
        if role.is_company and industry
        else ""
    )
    data = "OWNER DATA" if role.is_owner else "COMPANY DATA"
    return (
        f"\n{role.name.replace('-', ' ') if not role.is_owner else role.name}:\n\n\t{data}:\t\n"
        f"\t\tCOMPANY CONFORMED NAME:\t\t\t{role.called}\n\t\tCENTRAL INDEX KEY:\t\t\t{role.cik}\n{more}"
        f"\n\tFILING VALUES:\n\t\tFORM TYPE:\t\t{paper.form}\n\t\tSEC ACT:\t\t1934 Act\n"
        f"\t\tSEC FILE NUMBER:\t{EXCHANGE_ACT}\n\t\tFILM NUMBER:\t\t261234567\n"
        f"\n\tBUSINESS ADDRESS:\t\n{address}\t\tBUSINESS PHONE:\t\t5550100\n"
        f"\n\tMAIL ADDRESS:\t\n{address}{_former(company, role, tagged=False)}"
    )


def _former(company: Company, role: _Role, *, tagged: bool) -> str:
    """Renders former names of the company."""
    if not role.is_company:
        return ""
    if tagged:
        return "".join(
            f"<FORMER-COMPANY>\n<FORMER-CONFORMED-NAME>{name}\n<DATE-CHANGED>{day:%Y%m%d}\n</FORMER-COMPANY>\n"
            for day, name in company.former_names
        )
    return "".join(
        f"\n\tFORMER COMPANY:\t\n\t\tFORMER CONFORMED NAME:\t{name}\n\t\tDATE OF NAME CHANGE:\t{day:%Y%m%d}\n"
        for day, name in company.former_names
    )


def _address(company: Company) -> tuple[str, str, str, str]:
    place = company.place
    return (
        company.street,
        place.town if place else "",
        (place.code or "") if place else "",
        (place.postcode if place else ""),
    )


def header_page(company: Company, paper: Paper) -> str:
    """Renders `-index-headers.html`: header as tags in a comment, then as labels with the documents, escaped."""
    listed = "".join(
        f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>{place}\n<FILENAME>doc{place}.htm\n<TEXT>\n</DOCUMENT>\n"
        for place, kind in enumerate((paper.form, *paper.exhibits), 1)
    )
    shown = f"<SEC-DOCUMENT>{paper.accession}-index.html : {paper.filed:%Y%m%d}\n{labelled(company, paper)}{listed}"
    return (
        f"<HTML><HEAD><TITLE>SEC EDGAR Submission {paper.accession}</TITLE>\n<!--\n{header(company, paper)}-->\n"
        f"</HEAD><BODY>\n<PRE>{escape(shown)}</PRE></BODY></HTML>\n"
    )


def whole(company: Company, paper: Paper) -> str:
    """Renders the full submission: header as labels, and every document."""
    documents = "".join(
        f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>{place}\n<FILENAME>{name}\n<TEXT>\n{text}\n</TEXT>\n</DOCUMENT>\n"
        for place, (kind, name, text) in enumerate(_documents(company, paper), 1)
    )
    head = f"<SEC-DOCUMENT>{paper.accession}.txt : {paper.filed:%Y%m%d}\n"
    return f"{head}{labelled(company, paper)}{documents}</SEC-DOCUMENT>\n"


def _documents(company: Company, paper: Paper) -> Iterator[tuple[str, str, str]]:
    """Yields type, name and text of each document; XML in its envelope."""
    match paper.ownership:
        case Stake():
            yield paper.form, "primary_doc.xml", _xml(schedule13_us.document(company, paper))
        case Insider():
            yield paper.form, f"form{paper.form}.xml", _xml(insiders_us.document(company, paper))
        case Managed():
            yield paper.form, "primary_doc.xml", _xml(form13f_us.cover(paper))
            yield "INFORMATION TABLE", "positions.xml", _xml(form13f_us.table(company, paper))
        case None if paper.form == "25-NSE":
            yield paper.form, "primary_doc.xml", _xml(removals_us.removal(company, paper))
        case None:
            yield paper.form, "doc1.htm", removals_us.deregistration(paper)


def _xml(text: str) -> str:
    return f"<XML>\n{text}\n</XML>"
