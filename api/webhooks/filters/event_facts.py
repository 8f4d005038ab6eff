"""What filters read of an event: its company's profile as served now, and its own change.

See docs/contract/contract.md 4.8c.

What is not known is None, and matches no filter that asks for it. Does not belong here: filters
(`api.webhooks.filters.models`), or comparing (`api.webhooks.filters.matching`).
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeVar

import msgspec

from api.webhooks.filters.models import CHANGED_FIELDS, PCT_DECIMALS
from warehouse.ledger.read_index import LedgerEvent
from warehouse.reader.types import CompanyFacts
from warehouse.schema.codes import THRESHOLDS

T = TypeVar("T", int, str)
_LOGGER: Final = logging.getLogger("firm.webhooks")
_KNOWN_BASES: Final = ("exact", "derived")
"""Bases of shares that are numbers; those of a band are its lower bounds, so that their difference means nothing."""


@dataclass(frozen=True, slots=True)
class EventFacts:
    """What filters read of an event.

    `share_change`: of an ownership, in units of 0.0001 percentage points, cut off. `thresholds`, `changed_fields`: bits
    by position in THRESHOLDS and CHANGED_FIELDS.
    """

    industry_code: str | None = None
    industry_scheme: str | None = None
    is_listed: bool | None = None
    share_change: int | None = None
    thresholds: int | None = None
    changed_fields: int | None = None


class _Change(msgspec.Struct):
    holder_name: Any = msgspec.UNSET
    previous_pct: Decimal | None = None
    current_pct: Decimal | None = None
    basis: str | None = None
    thresholds_crossed: list[int] | None = None
    changes: list["_ChangedField"] | None = None


class _ChangedField(msgspec.Struct):
    field: str | None = None


class _Filing(msgspec.Struct):
    changed_fields: list[_ChangedField] | None = None


class _Source(msgspec.Struct):
    native_id: Any = msgspec.UNSET


class _Data(msgspec.Struct):
    source: _Source | None = None
    change: _Change | None = None
    filing: _Filing | None = None


_DATA: Final = msgspec.json.Decoder(_Data)


def event_facts(event: LedgerEvent, company: CompanyFacts | None) -> EventFacts:
    """Reads an event; `company`: its profile, None where the release that is served has no such company."""
    data = _read_data(event)
    change, filing = data.change or _Change(), data.filing or _Filing()
    is_ownership = event.event_type == "ownership.changed" and not _is_erased(data)
    changed = filing.changed_fields if event.event_type == "filing.updated" else change.changes
    return EventFacts(
        industry_code=None if company is None else company.industry_code,
        industry_scheme=None if company is None else company.industry_scheme,
        is_listed=None if company is None else company.is_listed,
        share_change=_share_change(change) if is_ownership else None,
        thresholds=to_bits(change.thresholds_crossed or (), THRESHOLDS) if is_ownership else None,
        changed_fields=None if changed is None else to_bits((one.field for one in changed), CHANGED_FIELDS),
    )


def _read_data(event: LedgerEvent) -> _Data:
    """The change that an event states; nothing is known of one of another form, which must not stop all others."""
    try:
        return _DATA.decode(event.data)
    except msgspec.ValidationError:
        _LOGGER.exception("filters read nothing of event %s: its data has another form", event.event_id)
        return _Data()


def _is_erased(data: _Data) -> bool:
    """Whether a change of ownership was redacted; a holder protected by law has no name either, but a record."""
    change, source = data.change or _Change(), data.source or _Source()
    return change.holder_name is None and source.native_id is None


def to_bits(chosen: Iterable[T | None], known: Sequence[T]) -> int:
    """The chosen ones as bits by their places among all that are known; others are left out."""
    return sum(1 << known.index(one) for one in {*chosen} if one in known)


def pct_units(percentage: Decimal) -> int:
    """A percentage in units of 0.0001, cut off."""
    return int(percentage.scaleb(PCT_DECIMALS))


def _share_change(change: _Change) -> int | None:
    if change.basis not in _KNOWN_BASES or change.previous_pct is None or change.current_pct is None:
        return None
    return pct_units(abs(change.current_pct - change.previous_pct))
