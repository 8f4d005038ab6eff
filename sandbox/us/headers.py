"""Renders a filing's header in both dialects, its header page, and the full submission (docs/formats/us.md 8).

`-index-headers.html` has tags with item codes, `.txt` has labels with item texts. Does not belong here: document
contents (`forms`, `schedule13`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from sandbox.companies.us.filings import company_cik
from sandbox.model.company import Company
from sandbox.model.us import FiledDocument, InsiderReport, ManagerReport, Schedule13Filing
from sandbox.us import forms, schedule13
from sandbox.us.forms import EXCHANGE
from sandbox.us.submissions import EASTERN, EXCHANGE_ACT

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


_TAGGED_NAME: Final = "<FORMER-COMPANY>\n<FORMER-CONFORMED-NAME>{name}\n<DATE-CHANGED>{day:%Y%m%d}\n</FORMER-COMPANY>\n"
_LABELLED_NAME: Final = (
    "\n\tFORMER COMPANY:\t\n\t\tFORMER CONFORMED NAME:\t{name}\n\t\tDATE OF NAME CHANGE:\t{day:%Y%m%d}\n"
)


@dataclass(frozen=True, slots=True)
class HeaderParty:
    """One party of a filing: role, identity, and whether it is a company or an owner."""

    name: str
    cik: str
    called: str
    is_owner: bool = False
    is_company: bool = False  # the company that files or is filed about


def header_parties(company: Company, filing: FiledDocument) -> Iterator[HeaderParty]:
    """The parties of a filing, in the order of its header."""
    own = (company_cik(company), company.name + company.form)
    match filing.ownership:
        case InsiderReport(person=person):
            yield HeaderParty("REPORTING-OWNER", person.cik or "", person.name, is_owner=True)
            yield HeaderParty("ISSUER", *own, is_company=True)
        case Schedule13Filing(persons=persons):
            yield HeaderParty("SUBJECT-COMPANY", *own, is_company=True)
            yield from (HeaderParty("FILED-BY", one.cik, one.name) for one in persons if one.cik)
        case ManagerReport(manager=manager):
            yield HeaderParty("FILER", manager.cik or "", manager.name)
        case None if filing.form == "25-NSE":
            yield HeaderParty("SUBJECT-COMPANY", *own, is_company=True)
            yield HeaderParty("FILED-BY", *EXCHANGE)
        case None:
            yield HeaderParty("FILER", *own, is_company=True)


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
        + "".join(_tagged_party(company, filing, role) for role in header_parties(company, filing))
        + "</SEC-HEADER>\n"
    )


def _tagged_party(company: Company, filing: FiledDocument, role: HeaderParty) -> str:
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
        f"<FILING-VALUES>\n<FORM-TYPE>{filing.form}\n<ACT>34\n<FILE-NUMBER>{EXCHANGE_ACT}\n<FILM-NUMBER>261234567\n"
        f"</FILING-VALUES>\n<BUSINESS-ADDRESS>\n{address}<PHONE>5550100\n</BUSINESS-ADDRESS>\n"
        f"<MAIL-ADDRESS>\n{address}</MAIL-ADDRESS>\n{_former_names(company, role, _TAGGED_NAME)}</{role.name}>\n"
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
        + "".join(_labelled_party(company, filing, role) for role in header_parties(company, filing))
        + "</SEC-HEADER>\n"
    )


def _labelled_party(company: Company, filing: FiledDocument, role: HeaderParty) -> str:
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
        f"\n\tFILING VALUES:\n\t\tFORM TYPE:\t\t{filing.form}\n\t\tSEC ACT:\t\t1934 Act\n"
        f"\t\tSEC FILE NUMBER:\t{EXCHANGE_ACT}\n\t\tFILM NUMBER:\t\t261234567\n"
        f"\n\tBUSINESS ADDRESS:\t\n{address}\t\tBUSINESS PHONE:\t\t5550100\n"
        f"\n\tMAIL ADDRESS:\t\n{address}{_former_names(company, role, _LABELLED_NAME)}"
    )


def _former_names(company: Company, role: HeaderParty, pattern: str) -> str:
    """Renders former names of the company."""
    names = company.former_names if role.is_company else []
    return "".join(pattern.format(name=name, day=day) for day, name in names)


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


def _submission_documents(company: Company, filing: FiledDocument) -> Iterator[tuple[str, str, str]]:
    """Yields type, name and text of each document; XML in its envelope."""
    match filing.ownership:
        case Schedule13Filing() as report:
            text = schedule13.schedule_document(company, filing, report)
            yield filing.form, "primary_doc.xml", _xml_envelope(text)
        case InsiderReport() as report:
            text = forms.ownership_document(company, filing, report)
            yield filing.form, f"form{filing.form}.xml", _xml_envelope(text)
        case ManagerReport() as report:
            yield filing.form, "primary_doc.xml", _xml_envelope(forms.cover_document(filing, report))
            yield "INFORMATION TABLE", "positions.xml", _xml_envelope(forms.information_table(company, report))
        case None if filing.form == "25-NSE":
            yield filing.form, "primary_doc.xml", _xml_envelope(forms.removal_document(company, filing))
        case None:
            yield filing.form, "doc1.htm", forms.deregistration_document(filing)


def _xml_envelope(text: str) -> str:
    return f"<XML>\n{text}\n</XML>"
