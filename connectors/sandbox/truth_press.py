"""Expected output for news and acts: ids and the core of `data` (docs/contract/contract.md 4.5 and 4.6).

Does not belong here: which releases and acts there are (`press`).
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

from connectors.sandbox import (
    nsm_press,
    press_esma,
    press_fca,
    press_finansinspektionen,
    press_finanstilsynet,
    press_mfn,
    press_sec,
)
from connectors.sandbox.model import Company
from connectors.sandbox.model_press import Act, ActTold, Release, ReleaseTold
from warehouse.schema import ids

# By market: the supervisor's name, its country, and what an act's id is made from: its number, or its page.
_AUTHORITIES: Final = {
    "SE": ("Finansinspektionen", "SE", press_finansinspektionen.address_of),
    "NO": ("Finanstilsynet", "NO", press_finanstilsynet.address_of),
    "FI": (press_esma.AUTHORITY, "FI", press_esma.key_of),
    "UK": ("Financial Conduct Authority", "GB", press_fca.address_of),
    "US": (press_sec.AUTHORITY, "US", press_sec.number_of),
}
_CURRENCIES: Final = {"SE": "SEK", "NO": "NOK", "FI": "EUR", "UK": "GBP"}
Row = dict[str, Any]


def told(company: Company, change: ReleaseTold | ActTold) -> tuple[str, str, Row, Row]:
    """One event: id, type, key and core."""
    match change:
        case ReleaseTold():
            return _news(company, change.release)
        case ActTold():
            return _act(company, change.act)


def _news(company: Company, release: Release) -> tuple[str, str, Row, Row]:
    """A news item; the key is the first wire's own id of the release."""
    group = nsm_press.key_of(release) if release.wires[0] == "nsm" else press_mfn.group_of(release)
    core: Row = {
        "title": release.titles["en"],
        "language": "en",
        "summary": None,
        "published_at": f"{release.at:%Y-%m-%dT%H:%M:%SZ}",
    }
    return (
        ids.news_published_id(company.company_id, group),
        "news.published",
        {"group": group},
        {"news": core},
    )


def _act(company: Company, act: Act) -> tuple[str, str, Row, Row]:
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
    event_id = ids.event_regulatory_id(authority, key, company.company_id)
    return event_id, "event.regulatory", {"authority": authority, "act": key}, {"notice": core}
