"""Expected rows and events that several markets have alike (docs/contract/contract.md 4.4 to 4.6).

In notices of holdings a holder is identified by name: they have no other key. Belongs here: crossings of
thresholds, owners by notice or percentage, news. Does not belong here: what only one market has
(`sandbox.<cc>.expected`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, Final

from sandbox.model.company import Company, ThresholdCrossing, crossed_thresholds
from sandbox.model.se import HoldingNotice
from warehouse.schema import ids

PUBLISHED_AT: Final = time(4)  # UTC: the registries publish at night
_DATED_BY_NAME: Final = frozenset({"UK"})  # markets whose files state their day in their names, and no time
NOTICE_REGISTERS: Final = {"FI": "fi.flagging", "SE": "se.flagging"}
Row = dict[str, Any]
EventParts = tuple[str, str, Row, Row]  # id, type, key and core


@dataclass(frozen=True, slots=True)
class HolderIdentity:
    """A holder as a register identifies it. `holder_type`: None where the register states none."""

    register: str
    native_id: str
    name: str
    holder_type: str | None

    def holder_id(self, company: Company) -> str:
        """The holder's id in a company."""
        return ids.holder_id(company.company_id, self.register, self.native_id)


def known_instant(company: Company, day: date, file_time: time | None = None) -> datetime:
    """When an ingest of the files of a day learns what happened that day. file_time: as in `StatusChange`."""
    usual = time() if company.market in _DATED_BY_NAME else PUBLISHED_AT
    return datetime.combine(day, usual if file_time is None else file_time, UTC)


def crossing_event_parts(
    company: Company, change: ThresholdCrossing, known_at: datetime, identity: HolderIdentity
) -> EventParts:
    """One crossing of a threshold."""
    holder_id = identity.holder_id(company)
    core: Row = {
        "holder_name": identity.name,
        "previous_pct": json_number(change.previous),
        "current_pct": json_number(change.current),
        "holder_id": holder_id,
        **({} if identity.holder_type is None else {"holder_type": identity.holder_type}),
        "direction": "up" if change.current > change.previous else "down",
        "thresholds_crossed": crossed_thresholds(change.previous, change.current),
        "basis": change.basis,
        "as_of": change.as_of.isoformat(),
    }
    pair = (change.previous, change.current)
    event_id = ids.ownership_changed_id(company.company_id, holder_id, change.as_of, pair, known_at)
    key = {
        "register": identity.register,
        "holder": identity.native_id,
        "as_of": core["as_of"],
        "previous": str(change.previous),
        "current": str(change.current),
        "known_at": known_at.isoformat(),
    }
    return event_id, "ownership.changed", key, {"change": core}


def news_event_parts(company: Company, key: tuple[str, str], core: Row) -> EventParts:
    """One news item; `key`: name and value of its native key."""
    name, native = key
    return ids.news_published_id(company.company_id, native), "news.published", {name: native}, {"news": core}


def json_number(percent: Decimal | None) -> int | float | None:
    """The shortest JSON spelling of a percentage."""
    if percent is None:
        return None
    return int(percent) if percent == percent.to_integral_value() else float(percent)


def notifying_holder(company: Company, name: str) -> HolderIdentity:
    """A holder known from notices, by the name in letters a to z; our names have no sign but these."""
    native = " ".join(name.casefold().translate(str.maketrans("åäö", "aao")).split())
    return HolderIdentity(NOTICE_REGISTERS[company.market], native, name, None)


def notified_owner_row(
    company: Company, holder: str, stake: tuple[Decimal | None, Decimal | None], band: tuple[Decimal, Decimal]
) -> Row:
    """An owner by notice. `stake`: percent of shares and votes; `band`: its bounds if no percentage is stated."""
    identity, (shares, votes) = notifying_holder(company, holder), stake
    low, high = band if shares is None else (shares, shares)
    return {
        "native_id": identity.native_id,
        "holder_id": identity.holder_id(company),
        "holder_name": holder,
        "holder_country": None,
        "pct": json_number(shares),
        "pct_min": json_number(low),
        "pct_max": json_number(high),
        "votes_pct": json_number(votes),
        "basis": "band" if shares is None else "exact",
        "holder_company_id": None,
    }


def expected_swedish_owners(company: Company, day: date) -> list[Row]:
    """Holders by their current notice, largest first; a limit alone is a band up to the whole, or from zero."""
    known = [one for one in company.swedish.stakes.values() if one.crossed_on <= day]
    return [_swedish_owner_row(company, one) for one in sorted(known, key=lambda one: (-one.now.least, one.holder))]


def _swedish_owner_row(company: Company, notice: HoldingNotice) -> Row:
    now = notice.now
    band = (now.least, now.below or Decimal(100))
    return notified_owner_row(company, notice.holder, (now.shares, now.votes), band)


def percentage_owner_row(
    company: Company, identity: HolderIdentity, percent: Decimal | None, place: tuple[str | None, str | None]
) -> Row:
    """An owner of a stated percentage. `place`: the holder's country, and its id if it is a company of a market."""
    number = json_number(percent)
    country, company_id = place
    return {
        "native_id": identity.native_id,
        "holder_id": identity.holder_id(company),
        "holder_name": identity.name,
        "holder_type": identity.holder_type,
        "holder_country": country,
        "holder_company_id": company_id,
        "pct": number,
        "pct_min": number,
        "pct_max": number,
        "votes_pct": None,
        "basis": "exact",
    }
