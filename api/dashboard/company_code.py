"""A company's data as commands and programs to copy: curl, and Python with the client of `sdk/python`.

Keys are read from a variable, so the text can be kept and shared. Does not belong here: pages.
"""

import shlex
from dataclasses import dataclass
from datetime import date
from typing import Final
from urllib.parse import urlencode

_PARTS: Final = ("", "/financials", "/ownership", "/group", "/filings", "/events")
_PAST: Final = ("", "/financials", "/ownership", "/group")
"""What takes `as_of` (docs/contract/contract.md 4.4a)."""


@dataclass(frozen=True, slots=True)
class CompanyCode:
    """What the page of a company shows to be copied."""

    curl: str
    python: str


def company_code(public_url: str, company_id: str, day: date | None) -> CompanyCode:
    """The requests behind the page of a company on a day; None: today."""
    return CompanyCode(_curl_text(public_url, company_id, day), _python_text(public_url, company_id, day))


def _curl_text(public_url: str, company_id: str, day: date | None) -> str:
    commands = []
    for part in _PARTS:
        query = f"?{urlencode({'as_of': day.isoformat()})}" if day is not None and part in _PAST else ""
        address = shlex.quote(f"{public_url}/api/v1/companies/{company_id}{part}{query}")
        commands.append(f'curl {address} -H "Authorization: Bearer $FIRMDATA_API_KEY"')
    return "\n".join(commands)


def _python_text(public_url: str, company_id: str, day: date | None) -> str:
    past = "" if day is None else f', as_of="{day.isoformat()}"'
    return f"""\
import firmdata

with firmdata.Client(base_url="{public_url}") as client:
    company = "{company_id}"
    print(client.companies.get(company{past}))
    for period in client.companies.financials(company, period_type="annual"{past}):
        print(period.period, period.revenue, period.net_result, period.currency)
    for owner in client.companies.ownership(company{past}):
        print(owner.holder_name, owner.pct)
    print(client.companies.group(company{past}))
    for filing in client.companies.filings(company):
        print(filing.period, filing.filed_at, filing.document_url)
    for event in client.companies.events(company):
        print(event.occurred_at, event.event_type)
"""
