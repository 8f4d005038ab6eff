"""Builds the expected events, with the ids and the core of `data` that the contract prescribes.

See docs/contract/contract.md 4.5 and 4.6.

The core contains only what follows from the story: `filing_id`, `filed_at`, `occurred_at`, `source` and the like
are set by the service. `key` repeats the natural key behind the id, so that a difference can be explained. Ids of
transitions are those of an ingest of the day's files: who learns of them at another instant has others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

from sandbox.dk import expected as dk_expected
from sandbox.fi import expected as fi_expected
from sandbox.model.company import (
    Accounts,
    Company,
    Figures,
    FilingChange,
    Holder,
    PlannedEvent,
    ProfileChange,
    StatusChange,
    ThresholdCrossing,
)
from sandbox.model.dk import DanishHolder
from sandbox.model.fi import DocumentFiled, ExchangeRelease
from sandbox.model.news import PressRelease, SupervisorAct
from sandbox.model.no import RoleOwner
from sandbox.model.us import RegisterHolding
from sandbox.news import expected as news_expected
from sandbox.no import expected as no_expected
from sandbox.shared.expected_rows import (
    EventParts,
    HolderIdentity,
    Row,
    crossing_event_parts,
    known_instant,
    notifying_holder,
)
from sandbox.us import expected as us_expected
from sandbox.world import World
from warehouse.schema import codes, ids

OWNERSHIP_REGISTER: Final = "uk.psc"
_SILENT_CORRECTIONS: Final = frozenset({"NO"})
DocumentOf = Callable[[Company, Accounts], str]  # a document's native id in the register, else its SHA-256


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


def _event_parts(planned: PlannedEvent, document_of: DocumentOf) -> EventParts:
    """Id, type, key and core of a planned event."""
    company = planned.company
    match planned.change:
        case StatusChange() as change:
            return _status_event_parts(company, change, known_instant(company, planned.day, change.file_time))
        case ThresholdCrossing() as change:
            return _ownership_event_parts(company, change, known_instant(company, planned.day))
        case ProfileChange() as change:
            return _profile_event_parts(company, change, known_instant(company, planned.day))
        case FilingChange() as change:
            return _filing_event_parts(company, change, document_of)
        case change:
            return _document_event_parts(company, change)


def _document_event_parts(
    company: Company, change: DocumentFiled | ExchangeRelease | PressRelease | SupervisorAct | us_expected.Change
) -> EventParts:
    """Id, type, key and core of a document, release or act that only some markets have."""
    match change:
        case DocumentFiled():
            return fi_expected.document_event_parts(company, change)
        case ExchangeRelease():
            return fi_expected.release_event_parts(company, change)
        case PressRelease():
            return news_expected.release_event_parts(company, change)
        case SupervisorAct():
            return news_expected.act_event_parts(company, change)
        case _:
            return us_expected.event_parts(company, change)


def _is_signalled(planned: PlannedEvent) -> bool:
    """True if a register's API signals the change to a client that polls it daily.

    Files contain everything. The open Norwegian registers report the newest year of a company's accounts; corrected
    accounts of that year are visible only when the company is requested again (docs/formats/no.md 14).
    """
    correction = isinstance(planned.change, FilingChange) and planned.change.earlier is not None
    return not (correction and planned.company.market in _SILENT_CORRECTIONS)


def _status_event_parts(company: Company, change: StatusChange, known_at: datetime) -> EventParts:
    core: Row = {
        "previous_status": change.previous,
        "current_status": change.current,
        "effective_date": change.effective.isoformat(),
        "reason": change.reason,
    }
    parts = (change.previous, change.current, change.effective)
    event_id = ids.status_changed_id(company.company_id, *parts, known_at)
    key = {name: core[name] for name in ("previous_status", "current_status", "effective_date")}
    key["known_at"] = known_at.isoformat()
    return event_id, "status.changed", key, {"change": core}


def _profile_event_parts(company: Company, change: ProfileChange, known_at: datetime) -> EventParts:
    """Changed fields; the values of an address are spelled as each register does, and are not determined here."""
    states = [_profile_values(one) for one in (change.former, company)]
    changes = [
        {"field": name}
        if name == "address"
        else {"field": name, "previous": states[0][name], "current": states[1][name]}
        for name in change.fields
    ]
    effective = None if change.effective is None else change.effective.isoformat()
    event_id = ids.company_changed_id(company.company_id, change.fields, change.effective, known_at)
    key: Row = {"fields": list(change.fields), "effective_date": effective, "known_at": known_at.isoformat()}
    return event_id, "company.changed", key, {"change": {"changes": changes, "effective_date": effective}}


def _profile_values(company: Company) -> Row:
    place = company.swedish.seat or company.place
    return {
        "name": company.name,
        "sni_code": company.industry and company.industry.bare,
        "municipality": place and (place.municipality or place.town),
        "county": place and place.county,
        "is_listed": company.is_listed,
        "legal_form_code": company.form,
    }


def _ownership_event_parts(company: Company, change: ThresholdCrossing, known_at: datetime) -> EventParts:
    match change.holder:
        case Holder() as holder:
            kind = "company" if holder.kind == "corporate" else "person"
            identity = HolderIdentity(OWNERSHIP_REGISTER, holder.key, holder.name, kind)
            event_id, event_type, key, core = crossing_event_parts(company, change, known_at, identity)
            bounds = {"previous": int(change.previous), "current": int(change.current)}
            days = {name: key[name] for name in ("as_of", "known_at")}
            return event_id, event_type, {"holder": holder.key, **days, **bounds}, core
        case RoleOwner() as owner:
            return crossing_event_parts(company, change, known_at, no_expected.owner_identity(owner))
        case RegisterHolding() as holding:
            return crossing_event_parts(company, change, known_at, us_expected.holder_identity(holding))
        case DanishHolder() as holder:
            return crossing_event_parts(company, change, known_at, dk_expected.holder_identity(holder))
        case str() as name:
            return crossing_event_parts(company, change, known_at, notifying_holder(company, name))


def _filing_event_parts(company: Company, change: FilingChange, document_of: DocumentOf) -> EventParts:
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
