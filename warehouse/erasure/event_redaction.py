"""Redacts events of erased subjects: `data` keeps only the members listed here, which are ids, kinds, dates and order.

The ledger keeps every event permanently, so that no sequence is reused and readers see no gap. Every member that is
not listed is replaced by the contract's form for «not known» (docs/contract/contract.md 4.6), so that a member added
later is erased too until it is listed. Events that were redacted under other rules are redacted again (`RULES`).
Does not belong here: where events are stored (`ledger.ledger`, the deliveries of the API).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from warehouse.erasure.tombstones import Tombstone
from warehouse.schema.codes import ERASED

_IDS: Final = re.compile(r'(?:firm:|own_)[^"\\]*')
# Members kept of the objects in `data`; an object that is not listed is replaced whole. `native_id` of a source is not
# kept: it is a registry's key of a person, or the address of a news item with its headline.
KEPT_MEMBERS: Final[Mapping[str, frozenset[str]]] = {
    "source": frozenset({"register", "retrieved_at"}),
    "filing": frozenset(
        (
            *("filing_id", "filing_type", "period", "period_type", "fiscal_year", "fiscal_quarter"),
            *("period_start", "period_end", "filed_at", "version", "is_consolidated", "previous_version", "reason"),
        )
    ),
    "change": frozenset(
        (
            *("previous_status", "current_status", "effective_date", "reason"),
            *("holder_id", "holder_type", "previous_pct", "current_pct", "direction", "thresholds_crossed"),
            *("basis", "as_of"),
        )
    ),
    "news": frozenset({"news_id", "language", "published_at", "categories"}),
    "notice": frozenset({"notice_id", "authority", "authority_country", "action_type", "published_at"}),
}
# Members kept of `data` itself; the number replaces the name, as in a profile with a withheld name
_KEPT_OF_DATA: Final = frozenset({"company_id", "org_nr", "country", "occurred_at", "sequence", "test"})
# The form for «not known» where the contract allows no null
_NOT_NULL: Final[Mapping[tuple[str, str], Any]] = {
    ("news", "title"): ERASED,
    ("notice", "title"): ERASED,
    ("filing", "changed_fields"): [],
    ("change", "changes"): [],
}
_EDITION: Final = 1  # increased if an erasure has learned to find subjects in other places


def _rules_fingerprint() -> str:
    kept = {part: sorted(members) for part, members in KEPT_MEMBERS.items()}
    text = json.dumps([_EDITION, kept, sorted(_KEPT_OF_DATA)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# The rules by which subjects are erased. Erasures that followed others are done again (`Tombstone.rules`).
RULES: Final = _rules_fingerprint()


@dataclass(frozen=True, slots=True)
class EventRedactor:
    """The subjects to redact from events."""

    companies: Collection[str]
    holders: Collection[str]

    @classmethod
    def of(cls, tombstones: Iterable[Tombstone]) -> EventRedactor:
        """Builds it from tombstones."""
        tombstones = tuple(tombstones)
        return cls(
            frozenset(stone.subject for stone in tombstones if stone.is_company),
            frozenset(stone.subject for stone in tombstones if not stone.is_company),
        )

    @property
    def subjects(self) -> frozenset[str]:
        """Their ids."""
        return frozenset((*self.companies, *self.holders))

    def redact_event(self, data: str) -> str:
        """The `data` of an event with these subjects redacted; the same text if they do not occur.

        An event of another company that names a subject keeps that company's name.
        """
        ids = frozenset(_IDS.findall(data))  # one scan for all subjects, as there are many events
        if ids.isdisjoint(self.companies) and ids.isdisjoint(self.holders):
            return data
        told: dict[str, Any] = json.loads(data)
        name = told["org_nr"] if told["company_id"] in self.companies else told["name"]
        redacted = {
            part: value if part in _KEPT_OF_DATA else name if part == "name" else _redact_part(part, value)
            for part, value in told.items()
        }
        return data if redacted == told else json.dumps(redacted, ensure_ascii=False, separators=(",", ":"))


def _redact_part(part: str, value: Any) -> Any:
    """One object of `data` with the members that are kept; null if it is unknown."""
    kept = KEPT_MEMBERS.get(part)
    if kept is None or not isinstance(value, dict):
        return None
    return {name: member if name in kept else _NOT_NULL.get((part, name)) for name, member in value.items()}
