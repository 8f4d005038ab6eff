"""Expected output for Finnish flaggings and for documents without figures.

See docs/contract/contract.md 4.4 to 4.6.

A holder is identified by name: notifications have no other key. The percentage is that of the shares held
without financial instruments; «below 5 %» is a band from 0 to 5. Does not belong here: crossings
(`truth_flagging`), code shared by all markets (`truth`, `events`).
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, Final

from connectors.sandbox import names_fi, truth_flagging
from connectors.sandbox.model import Accounts, Company
from connectors.sandbox.model_fi import Announced, DocumentFiled, FlaggedChange, Flagging, Notice
from warehouse.schema import codes, ids

NOTICES: Final = "fi.notices"
FLOOR: Final = Decimal(5)  # the lowest statutory threshold
NEWS: Final = {
    names_fi.INTERIM: "earnings",
    names_fi.HALF_YEAR: "earnings",
    names_fi.INSIDE: "inside_information",
    names_fi.MANAGERS: "managers_transactions",
}
Row = dict[str, Any]


def registered(company: Company, accounts: Accounts) -> Row:
    """The day of registration; undetermined for accounts registered twice without a difference."""
    days = {
        item.published
        for item in company.accounts
        if (item.start, item.end, item.figures) == (accounts.start, accounts.end, accounts.figures)
    }
    return {"filed_at": accounts.published.isoformat()} if len(days) == 1 else {}


def owners(company: Company, day: date) -> list[Row]:
    """Holders by their newest notification, largest first."""
    known = [item for item in company.finnish.positions.values() if item.crossed_on <= day]
    return [_owner(company, item) for item in sorted(known, key=_order)]


def _order(flagging: Flagging) -> tuple[Decimal, str]:
    return -(flagging.now.shares or Decimal(0)), flagging.holder


def _owner(company: Company, flagging: Flagging) -> Row:
    shares = flagging.now.shares
    return {
        "native_id": truth_flagging.holder_key(flagging.holder),
        "holder_id": truth_flagging.holder_id(company, flagging.holder),
        "holder_name": flagging.holder,
        "holder_country": None,
        "pct": truth_flagging.number(shares),
        "pct_min": 0 if shares is None else truth_flagging.number(shares),
        "pct_max": 5 if shares is None else truth_flagging.number(shares),
        "votes_pct": truth_flagging.number(flagging.now.votes),
        "basis": "band" if shares is None else "exact",
        "holder_company_id": None,
    }


def told(company: Company, change: FlaggedChange | DocumentFiled | Announced) -> tuple[str, str, Row, Row]:
    """One event that only this market has: id, type, key and core."""
    match change:
        case FlaggedChange():
            return truth_flagging.flagged(company, change)
        case DocumentFiled():
            return _filed(company, change)
        case Announced():
            return _announced(company, change)


def _filed(company: Company, change: DocumentFiled) -> tuple[str, str, Row, Row]:
    """One document without readable figures: id, type, key and core."""
    start, end = _day(change.start), _day(change.end)
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


def _announced(company: Company, change: Announced) -> tuple[str, str, Row, Row]:
    """One release, whatever the number of its languages: id, type, key and core. English leads."""
    release = change.release
    headlines = dict(release.headlines)
    language = "en" if "en" in headlines else release.headlines[0][0]
    native = str(release.number(company.position))
    core: Row = {
        "title": headlines[language],
        "summary": None,
        "publisher": "Nasdaq",
        "language": language,
        "published_at": f"{release.at:%Y-%m-%dT%H:%M:%SZ}",
        "categories": [NEWS[release.category]],
    }
    return (
        ids.news_published_id(company.company_id, native),
        "news.published",
        {"native_id": native},
        {"news": core},
    )


def _notice_id(company: Company, notice: Notice) -> str:
    """A notice's id, made from its company, day and number."""
    return ids.filing_id(NOTICES, f"{company.number}:{notice.day}:{notice.number}")


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
