"""Generates Form 13F as XML: the cover, and the table of positions under a file name chosen by the manager.

See docs/formats/us.md 7.4.

A table has the story's position in two rows, which are added up, an option on it, which is not a position, and a
position in an unknown company. Does not belong here: what a document changes (`holders`).
"""

from __future__ import annotations

from html import escape
from typing import Final

from sandbox.companies.us.holders import company_cusip
from sandbox.model.company import Company
from sandbox.model.us import FiledDocument, ManagerReport

_PRICE: Final = 21  # dollars per share: values are whole dollars since 2023
_OTHER: Final = ("NOBODY KNOWS CORP", "Z99999999", 1_234)
_ROWS: Final = 4


def _manager_report(paper: FiledDocument) -> ManagerReport:
    if not isinstance(paper.ownership, ManagerReport):
        raise TypeError(f"{paper.form} is no manager's report")
    return paper.ownership


def cover_document(filing: FiledDocument) -> str:
    """The first document: the cover."""
    told = _manager_report(filing)
    period = f"{told.period:%m-%d-%Y}"
    total = (told.shares * 2 + _OTHER[2]) * _PRICE
    amended = (
        f"<isAmendment>true</isAmendment><amendmentNo>1</amendmentNo><amendmentInfo>"
        f"<amendmentType>{told.amends}</amendmentType></amendmentInfo>"
        if told.amends
        else "<isAmendment>false</isAmendment>"
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<edgarSubmission xmlns="http://www.sec.gov/edgar/thirteenffiler" xmlns:com="http://www.sec.gov/edgar/common">'
        f"<schemaVersion>X0202</schemaVersion><headerData><submissionType>{filing.form}</submissionType><filerInfo>"
        "<liveTestFlag>LIVE</liveTestFlag><flags><confirmingCopyFlag>false</confirmingCopyFlag>"
        "<returnCopyFlag>false</returnCopyFlag><overrideInternetFlag>false</overrideInternetFlag></flags>"
        f"<filer><credentials><cik>{told.manager.cik}</cik><ccc>XXXXXXXX</ccc></credentials></filer>"
        f"<periodOfReport>{period}</periodOfReport></filerInfo></headerData><formData><coverPage>"
        f"<reportCalendarOrQuarter>{period}</reportCalendarOrQuarter>{amended}<filingManager>"
        f"<name>{escape(told.manager.name)}</name><address><com:street1>1 PLACEHOLDER WAY</com:street1>"
        f"<com:city>NEW YORK</com:city><com:stateOrCountry>{told.manager.place}</com:stateOrCountry>"
        "<com:zipCode>10001</com:zipCode></address></filingManager><reportType>13F HOLDINGS REPORT</reportType>"
        "<form13FFileNumber>028-90001</form13FFileNumber><crdNumber>000900001</crdNumber>"
        "<secFileNumber>801-90001</secFileNumber><provideInfoForInstruction5>N</provideInfoForInstruction5>"
        "</coverPage><signatureBlock><name>Nobody Invented</name><title>Officer</title><phone>5550100</phone>"
        "<signature>/s/ Nobody Invented</signature><city>NEW YORK</city><stateOrCountry>NY</stateOrCountry>"
        f"<signatureDate>{filing.filed:%m-%d-%Y}</signatureDate></signatureBlock><summaryPage>"
        f"<otherIncludedManagersCount>0</otherIncludedManagersCount><tableEntryTotal>{_ROWS}</tableEntryTotal>"
        f"<tableValueTotal>{total}</tableValueTotal><isConfidentialOmitted>false</isConfidentialOmitted>"
        "</summaryPage></formData></edgarSubmission>"
    )


def information_table(company: Company, filing: FiledDocument) -> str:
    """The second document: the table of positions."""
    told = _manager_report(filing)
    half = told.shares // 2
    name, number = escape(company.name.upper()), company_cusip(company)
    rows = (
        _table_row(name, number, half),
        _table_row(name, number, told.shares - half),
        _table_row(name, number, told.shares, option="Call"),
        _table_row(*_OTHER),
    )
    space = "http://www.sec.gov/edgar/document/thirteenf/informationtable"
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    return f'{head}<ns1:informationTable xmlns:ns1="{space}">{"".join(rows)}</ns1:informationTable>'


def _table_row(name: str, number: str, shares: int, option: str | None = None) -> str:
    right = f"<ns1:putCall>{option}</ns1:putCall>" if option else ""
    return (
        f"<ns1:infoTable><ns1:nameOfIssuer>{name}</ns1:nameOfIssuer><ns1:titleOfClass>COM</ns1:titleOfClass>"
        f"<ns1:cusip>{number}</ns1:cusip><ns1:value>{shares * _PRICE}</ns1:value><ns1:shrsOrPrnAmt>"
        f"<ns1:sshPrnamt>{shares}</ns1:sshPrnamt><ns1:sshPrnamtType>SH</ns1:sshPrnamtType></ns1:shrsOrPrnAmt>{right}"
        "<ns1:investmentDiscretion>SOLE</ns1:investmentDiscretion><ns1:votingAuthority>"
        f"<ns1:Sole>{shares}</ns1:Sole><ns1:Shared>0</ns1:Shared><ns1:None>0</ns1:None></ns1:votingAuthority>"
        "</ns1:infoTable>"
    )
