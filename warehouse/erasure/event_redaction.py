"""Redacts events of erased subjects: `data` keeps only ids, kinds, dates and order.

The ledger keeps every event permanently, so that no sequence is reused and readers see no gap; other facts in
`data` about an erased subject are replaced by the contract's form for «not known» (docs/contract/contract.md
4.6).
Does not belong here: where events are stored (`ledger.ledger`, the deliveries of the API).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

from warehouse.erasure.tombstones import Tombstone

_IDS: Final = re.compile(r'(?:firm:|own_)[^"\\]*')
ERASED: Final = "[erased]"  # where the contract requires a text
_FIGURES: Final = ("currency", "revenue", "operating_result", "net_result", "equity", "total_assets")
_UNKNOWN: Final = {
    "source": ("url",),
    "filing": (*_FIGURES, "employees", "document_url"),
    "change": ("holder_name", "holder_company_id", "registry_status"),
    "news": ("summary", "url", "publisher"),
    "notice": ("summary", "url", "amount", "currency"),
}


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

    def redact_event(self, data: str) -> str:
        """The `data` of an event with these subjects redacted; the same text if they do not occur."""
        told_of = frozenset(_IDS.findall(data))  # one scan for all subjects, as there are many events
        if told_of.isdisjoint(self.companies) and told_of.isdisjoint(self.holders):
            return data
        told: dict[str, Any] = json.loads(data)
        before = json.loads(data)
        if told["company_id"] in self.companies:
            _redact_company(told)
        elif self._is_erased_holder(told.get("change") or {}):
            _redact_fields(told, "change", ("holder_name", "holder_company_id"))
        return data if told == before else json.dumps(told, ensure_ascii=False, separators=(",", ":"))

    def _is_erased_holder(self, change: dict[str, Any]) -> bool:
        return change.get("holder_id") in self.holders or change.get("holder_company_id") in self.companies


def _redact_company(told: dict[str, Any]) -> None:
    told["name"] = told["org_nr"]  # like a profile with a withheld name
    for part, names in _UNKNOWN.items():
        _redact_fields(told, part, names)
    for part in ("news", "notice"):
        if part in told:
            told[part]["title"] = ERASED
    if "changed_fields" in told.get("filing", {}):
        told["filing"]["changed_fields"] = []


def _redact_fields(told: dict[str, Any], part: str, names: Iterable[str]) -> None:
    for name in names:
        if name in told.get(part, {}):
            told[part][name] = None
