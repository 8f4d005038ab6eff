"""Expected output for news and acts: ids and the core of `data` (docs/contract/contract.md 4.5 and 4.6).

Does not belong here: which releases and acts there are (`releases`).
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

from sandbox.model.company import Company
from sandbox.model.news import ActPublished, PressRelease, ReleasePublished, SupervisorAct
from sandbox.news import esma, fca, finansinspektionen, finanstilsynet, mfn, sec
from sandbox.uk import nsm_news
from warehouse.schema import ids

# By market: the supervisor's name, its country, and what an act's id is made from: its number, or its page.
_AUTHORITIES: Final = {
    "SE": ("Finansinspektionen", "SE", finansinspektionen.act_page_url),
    "NO": ("Finanstilsynet", "NO", finanstilsynet.act_page_url),
    "FI": (esma.AUTHORITY, "FI", esma.sanction_id),
    "UK": ("Financial Conduct Authority", "GB", fca.act_page_url),
    "US": (sec.AUTHORITY, "US", sec.release_number),
}
_CURRENCIES: Final = {"SE": "SEK", "NO": "NOK", "FI": "EUR", "UK": "GBP"}
Row = dict[str, Any]


def event_parts(company: Company, change: ReleasePublished | ActPublished) -> tuple[str, str, Row, Row]:
    """One event: id, type, key and core."""
    match change:
        case ReleasePublished():
            return _news_event_parts(company, change.release)
        case ActPublished():
            return _act_event_parts(company, change.act)


def _news_event_parts(company: Company, release: PressRelease) -> tuple[str, str, Row, Row]:
    """A news item; the key is the first wire's own id of the release."""
    group = nsm_news.announcement_id(release) if release.wires[0] == "nsm" else mfn.release_group_id(release)
    core: Row = {
        "title": release.titles["en"],
        "language": "en",
        "summary": None,
        "published_at": f"{release.at:%Y-%m-%dT%H:%M:%SZ}",
    }
    return (ids.news_published_id(company.company_id, group), "news.published", {"group": group}, {"news": core})


def _act_event_parts(company: Company, act: SupervisorAct) -> tuple[str, str, Row, Row]:
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
