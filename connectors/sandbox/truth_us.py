"""What the service must show of American filings: news, notices, consolidated figures (CONTRACT 4.3, 4.6).

Does not belong here: what all markets share (`truth`, `events`).
"""

from __future__ import annotations

from typing import Any, Final

from connectors.sandbox.model import Company
from connectors.sandbox.model_us import NewsTold, NoticeTold
from warehouse.schema import ids

AUTHORITY: Final = "U.S. Securities and Exchange Commission"
STANDARD: Final = "US-GAAP"
NEWS: Final = {
    "2.02": ("Results of Operations and Financial Condition", "earnings"),
    "7.01": ("Regulation FD Disclosure", "disclosure"),
    "8.01": ("Other Events", "other"),
}
NOTICES: Final = {
    "1.03": "Bankruptcy or Receivership",
    "3.01": "Notice of Delisting or Failure to Satisfy a Continued Listing Rule or Standard; Transfer of Listing",
    "5.01": "Changes in Control of Registrant",
}
FORMS: Final = {
    "NT 10-K": "Notification of late filing of an annual report (NT 10-K)",
    "25-NSE": "Removal of a class of securities from listing by its exchange (Form 25-NSE)",
    "15-12G": "Registration ended or reporting suspended for a class of securities (Form 15-12G)",
}
Row = dict[str, Any]


def consolidated(rows: list[Row]) -> list[Row]:
    """Facts are those of the whole group: comparatives too, and the company alone shows none."""
    groups = {(row["period_start"], row["period_end"]) for row in rows if row["is_consolidated"]}
    kept = [
        row
        for row in rows
        if row["is_consolidated"] or (row["period_start"], row["period_end"]) not in groups
    ]
    return [row | {"is_consolidated": True, "accounting_standard": STANDARD} for row in kept]


def told(company: Company, change: NewsTold | NoticeTold) -> tuple[str, str, Row, Row]:
    """One item of news or one notice: id, type, key and core."""
    return _news(company, change) if isinstance(change, NewsTold) else _notice(company, change)


def _news(company: Company, change: NewsTold) -> tuple[str, str, Row, Row]:
    """One item: id, type, key and core."""
    told = [NEWS[item] for item in sorted(change.paper.items) if item in NEWS]
    core: Row = {
        "title": "; ".join(title for title, _ in told),
        "summary": None,
        "publisher": "SEC EDGAR",
        "published_at": f"{change.paper.accepted:%Y-%m-%dT%H:%M:%SZ}",
        "categories": [category for _, category in told],
    }
    event_id = ids.news_published_id(company.company_id, change.paper.accession)
    return event_id, "news.published", {"accession": change.paper.accession}, {"news": core}


def _notice(company: Company, change: NoticeTold) -> tuple[str, str, Row, Row]:
    """One notice: id, type, key and core."""
    items = [NOTICES[item] for item in sorted(change.paper.items) if item in NOTICES]
    core: Row = {
        "authority": AUTHORITY,
        "authority_country": "US",
        "action_type": "announcement",
        "title": FORMS.get(change.paper.form) or "; ".join(items),
    }
    event_id = ids.event_regulatory_id(AUTHORITY, change.paper.accession, company.company_id)
    return event_id, "event.regulatory", {"accession": change.paper.accession}, {"notice": core}
