"""Expected output for news and acts: ids and the core of `data` (docs/contract/contract.md 4.5 and 4.6).

Does not belong here: which releases and acts there are (`releases`).
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from sandbox.model.company import Company
from sandbox.model.news import PressRelease, SupervisorAct
from sandbox.news import esma, mfn, supervisors
from sandbox.shared.expected_rows import EventParts, Row, news_event_parts
from sandbox.uk import nsm_http
from warehouse.schema import ids

# By market: the supervisor's name, its country, and what an act's id is made from: its number, or its page.
_AUTHORITIES: Final = {
    "SE": ("Finansinspektionen", "SE", supervisors.finansinspektionen_act_url),
    "NO": ("Finanstilsynet", "NO", supervisors.finanstilsynet_act_url),
    "FI": (esma.AUTHORITIES["FI"][0], "FI", esma.sanction_id),
    "DK": (esma.AUTHORITIES["DK"][0], "DK", esma.sanction_id),
    "UK": ("Financial Conduct Authority", "GB", supervisors.fca_act_url),
    "US": (supervisors.SEC, "US", supervisors.sec_release_number),
}
_CURRENCIES: Final = {"SE": "SEK", "NO": "NOK", "FI": "EUR", "UK": "GBP", "DK": "DKK"}


def release_event_parts(company: Company, release: PressRelease) -> EventParts:
    """A news item; the key is the first wire's own id of the release."""
    group = nsm_http.announcement_id(release) if release.wires[0] == "nsm" else mfn.release_group_id(release)
    core: Row = {
        "title": release.titles["en"],
        "language": "en",
        "summary": None,
        "published_at": f"{release.at:%Y-%m-%dT%H:%M:%SZ}",
    }
    return news_event_parts(company, ("group", group), core)


def act_event_parts(company: Company, act: SupervisorAct) -> EventParts:
    """An act; the key is its number or the path of its page."""
    authority, country, key_of = _AUTHORITIES[company.market]
    key = urlsplit(key_of(act)).path.rstrip("/")  # path only: hosts and schemes have changed
    core: Row = {
        "authority": authority,
        "authority_country": country,
        "action_type": "enforcement" if company.market == "US" else "sanction",
        "published_at": f"{act.at:%Y-%m-%dT%H:%M:%SZ}",
    }
    if company.market in _CURRENCIES:  # the feed of the SEC states no amounts
        core |= {"amount": act.amount, "currency": _CURRENCIES[company.market]}
    event_id = ids.regulatory_event_id(authority, key, company.company_id)
    return event_id, "event.regulatory", {"authority": authority, "act": key}, {"notice": core}
