"""Whether another `is_listed` is by a register's word, and since when: the evidence behind company.changed.

A profile's `is_listed` follows from listings and from rules about them (docs/contract/contract.md 4.0). What the rules
change is no news of the company: that it left its register, that evidence was lost, that a report is too old to count.
Does not belong here: the rules (connectors), or the other fields (`profile`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import polars as pl

from pipelines.transforms.differences import Differences, Frames, Row
from pipelines.transforms.events.emission_rules import EmissionContext
from pipelines.transforms.events.payload import EventSource
from warehouse.schema.tables import LISTINGS

_DISSOLVED: Final = "dissolved"


@dataclass(frozen=True, slots=True)
class ListingStatement:
    """Who states that a company is or is no longer listed, and since when, if stated.

    source: None where the profile's own record states it.
    """

    dataset: str
    day: date | None
    source: EventSource | None


@dataclass(frozen=True, slots=True)
class ListingEvidence:
    """Listings of the companies with another `is_listed`.

    rows: by company and register. changed: companies and registers with any changed listing. baselines: by dataset, the
    instant of its first snapshot.
    """

    rows: Mapping[tuple[str, str], list[Row]]
    changed: frozenset[tuple[str, str]]
    baselines: Mapping[str, datetime]
    today: date

    @classmethod
    def of(
        cls, pairs: Iterable[tuple[Row, Row]], differences: Differences, snapshot: Frames, context: EmissionContext
    ) -> ListingEvidence:
        """Builds it for the companies with another `is_listed` alone, of which there are few."""
        moved = [after["company_id"] for before, after in pairs if before["is_listed"] != after["is_listed"]]
        rows: dict[tuple[str, str], list[Row]] = {}
        today = context.instant.date()
        if not moved or LISTINGS.name not in snapshot or LISTINGS.name not in differences:
            return cls(rows, frozenset(), context.baselines, today)
        concerned = pl.col("company_id").is_in(moved)
        for row in snapshot[LISTINGS.name].filter(concerned).iter_rows(named=True):
            rows.setdefault((row["company_id"], row["register"]), []).append(row)
        found = differences[LISTINGS.name]
        changed = (
            key
            for frame in (found.added, found.removed, found.changed_after)
            for key in frame.filter(concerned).select("company_id", "register").iter_rows()
        )
        return cls(rows, frozenset(changed), context.baselines, today)

    def of_change(self, before: Row, after: Row) -> ListingStatement | None:
        """Who states another `is_listed`; None if it is the same or no register's word."""
        is_same = before["is_listed"] == after["is_listed"]
        if is_same or _DISSOLVED in (before["status"], after["status"]) or after["is_listed_source"] is None:
            return None
        return self._admission(before, after) if after["is_listed"] else self._end(before, after)

    def _admission(self, before: Row, after: Row) -> ListingStatement | None:
        """A live listing; where nothing was known before, only one that the register dates after its first load."""
        register = after["is_listed_source"]
        live = [
            row for row in self._rows_of(after, register) if row["ended_on"] is None or row["ended_on"] > self.today
        ]
        days = [row["valid_from"] for row in live if row["valid_from"] is not None]
        day = min(days) if days and len(days) == len(live) else None
        if before["is_listed_source"] is None and not self._is_after_baseline(register, day):
            return None
        return self._statement(before, after, register, live, day)

    def _end(self, before: Row, after: Row) -> ListingStatement | None:
        """The end of the listings that made the company listed."""
        former, register = before["is_listed_source"], after["is_listed_source"]
        if former is None:
            return None
        ended = self._rows_of(after, former)
        if not ended and former != register:  # its evidence is lost: another's may have ended
            former, ended = register, [row for row in self._rows_of(after, register) if row["ended_on"] is not None]
        days = [row["ended_on"] for row in ended if row["ended_on"] is not None]
        day = max(days) if days and len(days) == len(ended) else None
        return self._statement(before, after, former, ended, day)

    def _is_after_baseline(self, register: str, day: date | None) -> bool:
        first = self.baselines.get(register)
        return first is not None and day is not None and day > first.date()

    def _statement(
        self, before: Row, after: Row, register: str, rows: list[Row], day: date | None
    ) -> ListingStatement | None:
        """The statement, if a listing has changed, or if its day has come since the state before."""
        has_come = day is not None and before["observed_at"].date() < day <= self.today
        if (after["company_id"], register) not in self.changed and not has_come:
            return None
        newest = max(rows, key=lambda row: (row["observed_at"], row["native_id"]), default=None)
        source = None if newest is None else EventSource(register, newest["native_id"], None, newest["observed_at"])
        return ListingStatement(register, day, source)

    def _rows_of(self, row: Row, register: str) -> list[Row]:
        return self.rows.get((row["company_id"], register), [])
