"""Renders a filing's header in both dialects, its header page, and the full submission (docs/formats/us.md 8).

`-index-headers.html` has tags with item codes, `.txt` has labels with item texts. Does not belong here: document
contents (`forms_25_15`, `schedule13`, `forms345`, `form13f`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from sandbox.companies.us.filings import company_cik
from sandbox.model.company import Company
from sandbox.model.us import FiledDocument, InsiderReport, ManagerReport, Schedule13Filing
from sandbox.us import form13f, forms345, forms_25_15, schedule13
from sandbox.us.submissions import EASTERN, EXCHANGE_ACT

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
class _HeaderParty:
    """One party of a header: role, identity, and whether it is a company or an owner."""

    name: str
    cik: str
    called: str
    is_owner: bool = False
    is_company: bool = False  # the company that files or is filed about


def _header_parties(company: Company, paper: FiledDocument) -> Iterator[_HeaderParty]:
    own = (company_cik(company), company.name + company.form)
    match paper.ownership:
        case InsiderReport(person=person):
            yield _HeaderParty("REPORTING-OWNER", person.cik or "", person.name, is_owner=True)
            yield _HeaderParty("ISSUER", *own, is_company=True)
        case Schedule13Filing(persons=persons):
            yield _HeaderParty("SUBJECT-COMPANY", *own, is_company=True)
            yield from (_HeaderParty("FILED-BY", one.cik, one.name) for one in persons if one.cik)
        case ManagerReport(manager=manager):
            yield _HeaderParty("FILER", manager.cik or "", manager.name)
        case None if paper.form == "25-NSE":
            yield _HeaderParty("SUBJECT-COMPANY", *own, is_company=True)
            yield _HeaderParty("FILED-BY", *EXCHANGE)
        case None:
            yield _HeaderParty("FILER", *own, is_company=True)


def tagged_header(company: Company, filing: FiledDocument) -> str:
    """Renders the header as tags, items as codes."""
    accepted = filing.accepted.astimezone(EASTERN)
    items = "".join(f"<ITEMS>{item}\n" for item in filing.items)
    period = f"<PERIOD>{filing.period:%Y%m%d}\n" if filing.period else ""
    return (
        f"<SEC-HEADER>{filing.accession}.hdr.sgml : {filing.filed:%Y%m%d}\n"
        f"<ACCEPTANCE-DATETIME>{accepted:%Y%m%d%H%M%S}\n<ACCESSION-NUMBER>{filing.accession}\n<TYPE>{filing.form}\n"
        f"<PUBLIC-DOCUMENT-COUNT>{1 + len(filing.exhibits)}\n{period}{items}<FILING-DATE>{filing.filed:%Y%m%d}\n"
        f"<DATE-OF-FILING-DATE-CHANGE>{filing.filed:%Y%m%d}\n"
        + "".join(_tagged_party(company, filing, role) for role in _header_parties(company, filing))
        + "</SEC-HEADER>\n"
    )


def _tagged_party(company: Company, paper: FiledDocument, role: _HeaderParty) -> str:
    data = "OWNER-DATA" if role.is_owner else "COMPANY-DATA"
    sic = company.industry.code if role.is_company and company.industry else None
    more = (
        f"<ASSIGNED-SIC>{sic}\n<IRS-NUMBER>000000000\n<STATE-OF-INCORPORATION>DE\n<FISCAL-YEAR-END>0630\n"
        if sic
        else ""
    )
    street, town, state, code = _address_parts(company)
    address = f"<STREET1>{street}\n<CITY>{town}\n<STATE>{state}\n<ZIP>{code}\n"
    return (
        f"<{role.name}>\n<{data}>\n<CONFORMED-NAME>{role.called}\n<CIK>{role.cik}\n{more}</{data}>\n"
        f"<FILING-VALUES>\n<FORM-TYPE>{paper.form}\n<ACT>34\n<FILE-NUMBER>{EXCHANGE_ACT}\n<FILM-NUMBER>261234567\n"
        f"</FILING-VALUES>\n<BUSINESS-ADDRESS>\n{address}<PHONE>5550100\n</BUSINESS-ADDRESS>\n"
        f"<MAIL-ADDRESS>\n{address}</MAIL-ADDRESS>\n{_former_names(company, role, tagged=True)}</{role.name}>\n"
    )


def labelled_header(company: Company, filing: FiledDocument) -> str:
    """Renders the header as labels, items as texts."""
    accepted = filing.accepted.astimezone(EASTERN)
    period = f"CONFORMED PERIOD OF REPORT:\t{filing.period:%Y%m%d}\n" if filing.period else ""
    items = "".join(f"ITEM INFORMATION:\t\t{ITEMS[item]}\n" for item in filing.items)
    day = f"{filing.filed:%Y%m%d}"
    return (
        f"<SEC-HEADER>{filing.accession}.hdr.sgml : {day}\n<ACCEPTANCE-DATETIME>{accepted:%Y%m%d%H%M%S}\n"
        f"ACCESSION NUMBER:\t\t{filing.accession}\nCONFORMED SUBMISSION TYPE:\t{filing.form}\n"
        f"PUBLIC DOCUMENT COUNT:\t\t{1 + len(filing.exhibits)}\n{period}{items}"
        f"FILED AS OF DATE:\t\t{day}\nDATE AS OF CHANGE:\t\t{day}\n"
        + "".join(_labelled_party(company, filing, role) for role in _header_parties(company, filing))
        + "</SEC-HEADER>\n"
    )


def _labelled_party(company: Company, paper: FiledDocument, role: _HeaderParty) -> str:
    street, town, state, code = _address_parts(company)
    address = f"\t\tSTREET 1:\t\t{street}\n\t\tCITY:\t\t\t{town}\n\t\tSTATE:\t\t\t{state}\n\t\tZIP:\t\t\t{code}\n"
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
        f"\n\tMAIL ADDRESS:\t\n{address}{_former_names(company, role, tagged=False)}"
    )


def _former_names(company: Company, role: _HeaderParty, *, tagged: bool) -> str:
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


def _address_parts(company: Company) -> tuple[str, str, str, str]:
    place = company.place
    return (
        company.street,
        place.town if place else "",
        (place.code or "") if place else "",
        (place.postcode if place else ""),
    )


def header_page(company: Company, filing: FiledDocument) -> str:
    """Renders `-index-headers.html`: header as tags in a comment, then as labels with the documents, escaped."""
    listed = "".join(
        f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>{place}\n<FILENAME>doc{place}.htm\n<TEXT>\n</DOCUMENT>\n"
        for place, kind in enumerate((filing.form, *filing.exhibits), 1)
    )
    header = labelled_header(company, filing)
    shown = f"<SEC-DOCUMENT>{filing.accession}-index.html : {filing.filed:%Y%m%d}\n{header}{listed}"
    return (
        f"<HTML><HEAD><TITLE>SEC EDGAR Submission {filing.accession}</TITLE>\n"
        f"<!--\n{tagged_header(company, filing)}-->\n"
        f"</HEAD><BODY>\n<PRE>{escape(shown)}</PRE></BODY></HTML>\n"
    )


def complete_submission(company: Company, filing: FiledDocument) -> str:
    """Renders the full submission: header as labels, and every document."""
    documents = "".join(
        f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>{place}\n<FILENAME>{name}\n<TEXT>\n{text}\n</TEXT>\n</DOCUMENT>\n"
        for place, (kind, name, text) in enumerate(_submission_documents(company, filing), 1)
    )
    head = f"<SEC-DOCUMENT>{filing.accession}.txt : {filing.filed:%Y%m%d}\n"
    return f"{head}{labelled_header(company, filing)}{documents}</SEC-DOCUMENT>\n"


def _submission_documents(company: Company, paper: FiledDocument) -> Iterator[tuple[str, str, str]]:
    """Yields type, name and text of each document; XML in its envelope."""
    match paper.ownership:
        case Schedule13Filing():
            yield paper.form, "primary_doc.xml", _xml_envelope(schedule13.schedule_document(company, paper))
        case InsiderReport():
            yield (paper.form, f"form{paper.form}.xml", _xml_envelope(forms345.ownership_document(company, paper)))
        case ManagerReport():
            yield paper.form, "primary_doc.xml", _xml_envelope(form13f.cover_document(paper))
            yield ("INFORMATION TABLE", "positions.xml", _xml_envelope(form13f.information_table(company, paper)))
        case None if paper.form == "25-NSE":
            yield paper.form, "primary_doc.xml", _xml_envelope(forms_25_15.removal_document(company, paper))
        case None:
            yield paper.form, "doc1.htm", forms_25_15.deregistration_document(paper)


def _xml_envelope(text: str) -> str:
    return f"<XML>\n{text}\n</XML>"
