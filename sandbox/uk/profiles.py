"""A British company's own records in the REST API and the streams: profile and insolvency cases.

See docs/formats/uk.md 5.

Texts are spelled as in the interface: capitalised places, days with hyphens, codes for words. Does not belong
here: filings (`filings`), holders (`psc`), which resources exist (`rest_resources`).
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

from sandbox.companies.accounts import next_year_end
from sandbox.model.company import Accounts, Company
from sandbox.uk.files import CATEGORIES
from sandbox.uk.psc import compute_etag, has_statement

Record = dict[str, Any]
_STATUSES: Final = {
    "Active": "active",
    "Active - Proposal to Strike off": "active",
    "Liquidation": "liquidation",
    "In Administration": "administration",
    "Voluntary Arrangement": "voluntary-arrangement",
}
_CASES: Final = {
    "Liquidation": ("creditors-voluntary-liquidation", "wound-up-on"),
    "In Administration": ("in-administration", "administration-started-on"),
    "Voluntary Arrangement": ("corporate-voluntary-arrangement", "voluntary-arrangement-started-on"),
}
_TYPES: Final = {
    "Private Limited Company": "ltd",
    "Public Limited Company": "plc",
    "Limited Liability Partnership": "llp",
    "Overseas Entity": "registered-overseas-entity",
    "Community Interest Company": "ltd",
}
_JURISDICTIONS: Final = {"SC": "scotland", "NI": "northern-ireland", "OE": "united-kingdom"}
_EMPTY_LIST: Final = 5  # one in this many companies without accounts has an empty list instead
_SECOND: Final = 6  # one in this many companies has a second industry


def account_type(accounts: Accounts) -> str:
    """The code of an accounts type."""
    return CATEGORIES[accounts.document_style].lower().replace(" ", "-")


def company_profile(company: Company) -> Record:
    """The profile of a company, dissolved ones included; unknown fields are left out."""
    path = f"/company/{company.number}"
    found: Record = {
        "accounts": _accounts_fields(company),
        "can_file": company.is_in_register,
        "company_name": company.name,
        "company_number": company.number,
        **_status_fields(company),
        "date_of_creation": company.registered.isoformat(),
        "has_charges": False,
        "has_insolvency_history": company.registry_status in _CASES,
        "jurisdiction": _JURISDICTIONS.get(company.number[:2], "england-wales"),
        "links": _resource_links(company, path),
        "registered_office_address": _office_address(company),
        "type": _TYPES[company.form],
    }
    if company.form == "Community Interest Company":
        found |= {"subtype": "community-interest-company", "is_community_interest_company": True}
    if company.industry is not None:
        found["sic_codes"] = [company.industry.code, *(["82990"] if company.position % _SECOND == 0 else [])]
    if company.former_names:
        found["previous_company_names"] = _former_names(company)
    return {**found, "etag": compute_etag(company.number, sorted(found.items()))}


def _status_fields(company: Company) -> Record:
    if not company.is_in_register:
        ended = company.status_date.isoformat() if company.status_date else None
        return {"company_status": "dissolved", "date_of_cessation": ended}
    word = company.registry_status or "Active"
    if word == "Active" and company.number.startswith("OE"):
        return {"company_status": "registered"}
    detail = {"company_status_detail": "active-proposal-to-strike-off"} if "Strike off" in word else {}
    return {"company_status": _STATUSES[word], **detail}


def _accounts_fields(company: Company) -> Record:
    """Days and months of the reference date are strings; an unknown accounts type is the string `null`."""
    known = company.current_accounts()
    if not known:
        last: Any = [None] if company.position % _EMPTY_LIST == 0 else {"type": "null"}
        return {"last_accounts": last, "overdue": False}
    newest = known[-1]
    made_up, following = newest.end.isoformat(), next_year_end(newest.end)
    return {
        "accounting_reference_date": {"day": f"{newest.end:%d}", "month": f"{newest.end:%m}"},
        "last_accounts": {
            "made_up_to": made_up,
            "period_end_on": made_up,
            "period_start_on": newest.start.isoformat(),
            "type": account_type(newest),
        },
        "next_due": (following + timedelta(days=273)).isoformat(),
        "next_made_up_to": following.isoformat(),
        "overdue": False,
    }


def _resource_links(company: Company, path: str) -> Record:
    held = "persons-with-significant-control"
    found = {"self": path, "filing_history": f"{path}/filing-history", "officers": f"{path}/officers"}
    if company.holders:
        found["persons_with_significant_control"] = f"{path}/{held}"
    if has_statement(company):
        found["persons_with_significant_control_statements"] = f"{path}/{held}-statements"
    if company.is_listed:
        found["exemptions"] = f"{path}/exemptions"
    if company.registry_status in _CASES:
        found["insolvency"] = f"{path}/insolvency"
    return found


def _office_address(company: Company) -> Record:
    premises, _, street = company.street.partition(" ")
    found: Record = {"premises": premises, "address_line_1": street.title()}
    if company.place is not None:
        found |= {"locality": company.place.town.title(), "postal_code": company.place.postcode}
        if company.place.county:
            found["region"] = company.place.county.title()
    if company.position % 3:
        found["country"] = "United Kingdom"
    return found


def _former_names(company: Company) -> list[Record]:
    """Newest first; a name began when the previous one ended."""
    begun = [*(changed for changed, _ in company.former_names[1:]), company.registered]
    return [
        {"ceased_on": changed.isoformat(), "effective_from": start.isoformat(), "name": name}
        for (changed, name), start in zip(company.former_names, begun, strict=True)
    ]


def insolvency_cases(company: Company, since: date) -> Record | None:
    """The insolvency cases of a company with their practitioners; None where it has none."""
    if company.registry_status not in _CASES:
        return None
    kind, begun = _CASES[company.registry_status]
    practitioner = {
        "address": {"address_line_1": "2 Sample Road", "locality": "Exampleton", "postal_code": "ZZ1 1ZZ"},
        "appointed_on": since.isoformat(),
        "name": "Sample Practitioner",
        "role": "practitioner",
    }
    case = {
        "dates": [{"date": since.isoformat(), "type": begun}],
        "number": "1",
        "practitioners": [practitioner],
        "type": kind,
    }
    return {"cases": [case], "etag": compute_etag(company.number, "insolvency", since)}
