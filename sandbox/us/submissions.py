"""The submissions interface: profile and list of filings of one filer, and its continuation files.

See docs/formats/us.md 4.

Pure functions of companies. Does not belong here: facts (`companyfacts`), documents (`headers`), files and folders
(`files`), HTTP (`http`).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from sandbox.companies.us.filings import company_cik
from sandbox.model.company import Company
from sandbox.model.us import FiledDocument, InsiderReport, ManagerReport, OwnershipParty, Schedule13Filing
from sandbox.world import FIRST_DAY

EASTERN: Final = ZoneInfo("America/New_York")
YESTERDAY: Final = timedelta(days=1)
EXCHANGE_ACT: Final = "001-90001"
_SUBJECT: Final = "005-90001"
_RECENT: Final = timedelta(days=365)
_PAGED: Final = 3  # one in this many filers has a continuation file
Row = dict[str, Any]


def submissions_record(company: Company) -> Row:
    """The response of the submissions interface: newest filings first, in columns."""
    place = company.place
    address = {
        "street1": company.street,
        "street2": None,
        "city": place and place.town,
        "stateOrCountry": place and place.code,
        "zipCode": place and place.postcode,
        "stateOrCountryDescription": place and place.code,
        "isForeignLocation": 0,
        "foreignStateTerritory": None,
        "country": None,
        "countryCode": None,
    }
    clock = "T00:00:00.000Z" if company.american.has_false_utc_times else "T05:00:00.000Z"
    return {
        "cik": company_cik(company),
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
        "addresses": {"mailing": address, "business": address | {"isForeignLocation": None}},
        "phone": "5550100",
        "flags": "",
        "formerNames": [
            {"name": name, "from": f"2001-01-02{clock}", "to": f"{changed}{clock}"}
            for changed, name in company.former_names
        ],
        "filings": {
            "recent": _filing_columns(company, _split_recent(company)[0]),
            "files": _continuation_files(company),
        },
    }


def continuation_page_name(company: Company) -> str:
    """The file name of a filer's continuation file."""
    return f"CIK{company_cik(company)}-submissions-001.json"


def continuation_page(company: Company) -> Row | None:
    """The continuation file: columns at the top level. None where the filer has none."""
    older = _split_recent(company)[1]
    return _filing_columns(company, older) if older else None


def _split_recent(company: Company) -> tuple[list[FiledDocument], list[FiledDocument]]:
    """The newest filings and the older ones, newest first. A manager's report is only in the manager's list."""
    papers = [paper for paper in company.american.filings if not isinstance(paper.ownership, ManagerReport)]
    newest = sorted(papers, key=lambda paper: (paper.filed, paper.accession), reverse=True)
    if company.position % _PAGED:
        return newest, []
    recent = [paper for paper in newest if paper.filed > FIRST_DAY - _RECENT]
    return recent, newest[len(recent) :]


def _continuation_files(company: Company) -> list[Row]:
    older = _split_recent(company)[1]
    if not older:
        return []
    return [
        {
            "name": continuation_page_name(company),
            "filingCount": len(older),
            "filingFrom": str(older[-1].filed),
            "filingTo": str(older[0].filed),
        }
    ]


def _filing_columns(company: Company, papers: list[FiledDocument]) -> Row:
    washed = company.american.has_false_utc_times
    return {
        "accessionNumber": [paper.accession for paper in papers],
        "filingDate": [str(paper.filed) for paper in papers],
        "reportDate": [str(paper.period or "") for paper in papers],
        "acceptanceDateTime": [_clock_text(paper.accepted, washed=washed) for paper in papers],
        "act": ["" if _is_insider_form(paper) else "34" for paper in papers],
        "form": [paper.form for paper in papers],
        "fileNumber": [_file_number(paper) for paper in papers],
        "filmNumber": ["" if _is_insider_form(paper) else "261234567" for paper in papers],
        "items": [",".join(paper.items) for paper in papers],
        "core_type": ["XBRL" if paper.is_xbrl else paper.form for paper in papers],
        "size": [10_000 + len(paper.form) for paper in papers],
        "isXBRL": [int(paper.is_xbrl) for paper in papers],
        "isInlineXBRL": [int(paper.is_xbrl) for paper in papers],
        "primaryDocument": [document_name(paper) for paper in papers],
        "primaryDocDescription": [paper.form for paper in papers],
    }


def _is_insider_form(paper: FiledDocument) -> bool:
    return isinstance(paper.ownership, InsiderReport)


def _file_number(paper: FiledDocument) -> str:
    """File number: of the listed class; for a stake the subject's; for insiders none."""
    if isinstance(paper.ownership, Schedule13Filing):
        return _SUBJECT
    return "" if _is_insider_form(paper) else EXCHANGE_ACT


def document_name(filing: FiledDocument) -> str:
    """File name of the primary document; for XML the path of its rendered view (docs/formats/us.md 4, trap 3)."""
    match filing.ownership:
        case Schedule13Filing(is_active=active):
            return f"xslSCHEDULE_13{'D' if active else 'G'}_X01/primary_doc.xml"
        case InsiderReport():
            return f"xslF345X05/form{filing.form}.xml"
        case _:
            return "xslF25X02/primary_doc.xml" if filing.form == "25-NSE" else "doc1.htm"


def _clock_text(instant: datetime, *, washed: bool) -> str:
    """Formats an instant in UTC, or in Washington time with a false Z."""
    shown = instant.astimezone(EASTERN) if washed else instant
    return f"{shown:%Y-%m-%dT%H:%M:%S}.000Z"


def holder_record(party: OwnershipParty) -> Row:
    """Submissions of a mere holder: EDGAR has more individuals and managers than companies."""
    nobody = Company("US", 1, f"US{party.cik}", party.name, "", None, None, "", FIRST_DAY)
    found = submissions_record(nobody) | {"entityType": "other", "sic": "", "sicDescription": ""}
    found |= {"insiderTransactionForOwnerExists": 1, "insiderTransactionForIssuerExists": 0}
    return found | {"ein": None, "fiscalYearEnd": None, "category": None}
