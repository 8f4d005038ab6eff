"""Builds the expected events, with the ids and the core of `data` that the contract prescribes.

See docs/contract/contract.md 4.5 and 4.6.

The core contains only what follows from the story: `filing_id`, `filed_at`, `occurred_at`, `source` and the like
are set by the service. `key` repeats the natural key behind the id, so that a difference can be explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Final

from sandbox.fi import expected as fi_expected
from sandbox.model.company import (
    Accounts,
    Company,
    Figures,
    FilingChange,
    PlannedEvent,
    StatusChange,
    ThresholdCrossing,
)
from sandbox.model.fi import DocumentFiled, FlaggedChange, ReleaseAnnounced
from sandbox.model.news import ActPublished, ReleasePublished
from sandbox.model.no import PartnerChange
from sandbox.model.us import FourthQuarterRestatement, InterimFiled, NewsFiled, NoticeFiled, StakeChange
from sandbox.news import expected as news_expected
from sandbox.no import expected as no_expected
from sandbox.us import expected as us_expected
from sandbox.world import World
from warehouse.schema import codes, ids

OWNERSHIP_REGISTER: Final = "uk.psc"
_SILENT_CORRECTIONS: Final = frozenset({"NO"})
DocumentOf = Callable[[Company, Accounts], str]  # a document's native id in the register, else its SHA-256
Row = dict[str, Any]


def all_events(world: World, document_of: DocumentOf) -> Iterator[Row]:
    """Yields every planned event, by day and id."""
    for day in range(world.days):
        yield from sorted((event_row(planned, document_of) for planned in world.planned(day)), key=_event_order)


def _event_order(row: Row) -> tuple[str, str]:
    return row["day"], row["event_id"]


def event_row(planned: PlannedEvent, document_of: DocumentOf) -> Row:
    """One planned event."""
    event_id, event_type, key, core = _event_parts(planned, document_of)
    return {
        "day": planned.day.isoformat(),
        "event_id": event_id,
        "event_type": event_type,
        "company_id": planned.company.company_id,
        "story": planned.story,
        "signalled": _is_signalled(planned),
        "key": key,
        "data": {
            "company_id": planned.company.company_id,
            "org_nr": planned.company.number,
            "name": planned.company.name,
            "country": planned.company.market,
            **core,
        },
    }


def _event_parts(planned: PlannedEvent, document_of: DocumentOf) -> tuple[str, str, Row, Row]:
    """Id, type, key and core of a planned event."""
    match planned.change:
        case FlaggedChange() | DocumentFiled() | ReleaseAnnounced():
            return fi_expected.event_parts(planned.company, planned.change)
        case PartnerChange():
            return no_expected.event_parts(planned.company, planned.change)
        case ReleasePublished() | ActPublished():
            return news_expected.event_parts(planned.company, planned.change)
        case NewsFiled() | NoticeFiled() | StakeChange() | InterimFiled() | FourthQuarterRestatement():
            return us_expected.event_parts(planned.company, planned.change)
        case _:
            return _common_event_parts(planned.company, planned.change, document_of)


def _common_event_parts(
    company: Company, change: StatusChange | ThresholdCrossing | FilingChange, document_of: DocumentOf
) -> tuple[str, str, Row, Row]:
    """Id, type, key and core of a change type common to all markets."""
    match change:
        case StatusChange():
            return _status_event_parts(company, change)
        case ThresholdCrossing():
            return _ownership_event_parts(company, change)
        case FilingChange():
            return _filing_event_parts(company, change, document_of)


def _is_signalled(planned: PlannedEvent) -> bool:
    """True if a register's API signals the change to a client that polls it daily.

    Files contain everything. The open Norwegian registers report the newest year of a company's accounts; corrected
    accounts of that year are visible only when the company is requested again (docs/formats/no.md 14).
    """
    correction = isinstance(planned.change, FilingChange) and planned.change.earlier is not None
    return not (correction and planned.company.market in _SILENT_CORRECTIONS)


def _status_event_parts(company: Company, change: StatusChange) -> tuple[str, str, Row, Row]:
    core: Row = {
        "previous_status": change.previous,
        "current_status": change.current,
        "effective_date": change.effective.isoformat(),
        "reason": change.reason,
    }
    event_id = ids.status_changed_id(company.company_id, change.previous, change.current, change.effective)
    key = {name: core[name] for name in ("previous_status", "current_status", "effective_date")}
    return event_id, "status.changed", key, {"change": core}


def _ownership_event_parts(company: Company, change: ThresholdCrossing) -> tuple[str, str, Row, Row]:
    holder_id = ids.holder_id(company.company_id, OWNERSHIP_REGISTER, change.holder.key)
    core: Row = {
        "holder_name": change.holder.name,
        "previous_pct": int(change.previous),
        "current_pct": int(change.current),
        "holder_id": holder_id,
        "holder_type": "company" if change.holder.kind == "corporate" else "person",
        "direction": "up" if change.current > change.previous else "down",
        "thresholds_crossed": crossed_thresholds(change.previous, change.current),
        "basis": "band",
        "as_of": change.as_of.isoformat(),
    }
    event_id = ids.ownership_changed_id(company.company_id, holder_id, change.as_of, change.previous, change.current)
    key = {
        "holder": change.holder.key,
        "as_of": core["as_of"],
        "previous": int(change.previous),
        "current": int(change.current),
    }
    return event_id, "ownership.changed", key, {"change": core}


def crossed_thresholds(previous: Decimal, current: Decimal) -> list[int]:
    """Thresholds T crossed, ascending: up if previous < T <= current, down if previous >= T > current."""
    low, high = sorted((previous, current))
    return [limit for limit in codes.THRESHOLDS if low < limit <= high]


def _filing_event_parts(company: Company, change: FilingChange, document_of: DocumentOf) -> tuple[str, str, Row, Row]:
    accounts, earlier = change.accounts, change.earlier
    figures = accounts.group or accounts.figures
    core: Row = {
        "filing_type": "annual_report",
        "period": str(accounts.end.year),
        "period_type": "annual",
        "fiscal_year": accounts.end.year,
        "fiscal_quarter": None,
        "period_start": accounts.start.isoformat(),
        "period_end": accounts.end.isoformat(),
        "currency": accounts.currency,
        **{name: getattr(figures, name) for name in codes.FIGURES},
        "is_consolidated": accounts.group is not None,
    }
    key: Row = {"period_start": core["period_start"], "period_end": core["period_end"]}
    if earlier is None:
        event_id = ids.filing_added_id(company.company_id, accounts.start, accounts.end)
        return event_id, "filing.added", key, {"filing": core | {"version": 1}}
    version = _document_version(company, accounts)
    before = earlier.group or earlier.figures
    core |= {"version": version, "previous_version": version - 1, "changed_fields": _changed_fields(before, figures)}
    document = document_of(company, accounts)
    event_id = ids.filing_updated_id(company.company_id, accounts.start, accounts.end, document)
    return event_id, "filing.updated", key | {"document": document}, {"filing": core}


def _document_version(company: Company, accounts: Accounts) -> int:
    """Version of the accounts: counts documents of the period with new content; stories amend only such."""
    same = [item for item in company.accounts if (item.start, item.end) == (accounts.start, accounts.end)]
    return len({(item.figures, item.group) for item in same if not item.is_rounded_to_thousands})


def _changed_fields(before: Figures, after: Figures) -> list[Row]:
    pairs = ((name, getattr(before, name), getattr(after, name)) for name in codes.FIGURES)
    return [{"field": name, "previous": old, "current": new} for name, old, new in pairs if old != new]
