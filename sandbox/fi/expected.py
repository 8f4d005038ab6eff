"""Expected output for Finnish flaggings and for documents without figures.

See docs/contract/contract.md 4.4 to 4.6.

A holder is identified by name: notifications have no other key. The percentage is that of the shares held
without financial instruments; «below 5 %» is a band from 0 to 5. Does not belong here: crossings
(`shared.expected_rows`), code shared by all markets (`sandbox.expected`, `sandbox.expected_events`).
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Final

from sandbox.companies.fi import vocabulary
from sandbox.model.company import Accounts, Company
from sandbox.model.fi import DocumentFiled, ExchangeRelease, PlannedFlagging, RegisteredNotice
from sandbox.shared.expected_rows import EventParts, Row, news_event_parts, notified_owner_row
from warehouse.schema import codes, ids

NOTICES: Final = "fi.notices"
_BELOW_FIVE: Final = (Decimal(0), Decimal(5))  # the lowest statutory threshold
NEWS: Final = {
    vocabulary.INTERIM: "earnings",
    vocabulary.HALF_YEAR: "earnings",
    vocabulary.INSIDE: "inside_information",
    vocabulary.MANAGERS: "managers_transactions",
}


def filing_date_field(company: Company, accounts: Accounts) -> Row:
    """The day of registration; undetermined for accounts registered twice without a difference."""
    days = {
        item.published
        for item in company.accounts
        if (item.start, item.end, item.figures) == (accounts.start, accounts.end, accounts.figures)
    }
    return {"filed_at": accounts.published.isoformat()} if len(days) == 1 else {}


def expected_owners(company: Company, day: date) -> list[Row]:
    """Holders by their newest notification, largest first."""
    known = [item for item in company.finnish.positions.values() if item.crossed_on <= day]
    return [
        notified_owner_row(company, item.holder, (item.now.shares, item.now.votes), _BELOW_FIVE)
        for item in sorted(known, key=_largest_first)
    ]


def _largest_first(flagging: PlannedFlagging) -> tuple[Decimal, str]:
    return -(flagging.now.shares or Decimal(0)), flagging.holder


def document_event_parts(company: Company, change: DocumentFiled) -> EventParts:
    """One document without readable figures."""
    start, end = _iso_date(change.start), _iso_date(change.end)
    core: Row = {
        "filing_type": change.filing_type,
        "period_start": start,
        "period_end": end,
        "filed_at": change.filed.isoformat(),
        "version": 1,
        **dict.fromkeys(codes.FIGURES),
    }
    document = None if change.notice is None else _notice_id(company, change.notice)
    event_id = ids.filing_added_id(company.company_id, change.start, change.end, document)
    key = {"period_start": start, "period_end": end, "document": document}
    return event_id, "filing.added", key, {"filing": core}


def release_event_parts(company: Company, release: ExchangeRelease) -> EventParts:
    """One release, whatever the number of its languages. English leads."""
    headlines = dict(release.headlines)
    language = "en" if "en" in headlines else release.headlines[0][0]
    core: Row = {
        "title": headlines[language],
        "summary": None,
        "publisher": "Nasdaq",
        "language": language,
        "published_at": f"{release.at:%Y-%m-%dT%H:%M:%SZ}",
        "categories": [NEWS[release.category]],
    }
    return news_event_parts(company, ("native_id", str(release.number(company.position))), core)


def _notice_id(company: Company, notice: RegisteredNotice) -> str:
    """A notice's id, made from its company, day and number."""
    return ids.filing_id(NOTICES, f"{company.number}:{notice.day}:{notice.number}")


def _iso_date(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
