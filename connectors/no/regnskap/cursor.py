"""Cursor of per-company fetching: which accounts were last requested, compact enough to be stored as text.

Half a million companies take a few hundred kilobytes: the sorted numbers of one mark, delta-encoded and compressed.
A mark is what was requested: a year of accounts, a round of repeated requests, or both; later ones sort higher.
Does not belong here: which companies to request (`fetch`, `konsern.fetch`).
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

from connectors.contract.pieces import Cursor
from connectors.kit.cursors import from_differences, pack_cursor, to_differences, unpack_cursor

MOST_RUNS: Final = 7  # in which a number is requested that stays unavailable
_FAILED: Final = "failed"  # a key that is no mark
_SLOTS: Final = 28  # days that exist in every month


def last_monthly_slot(number: str, today: date) -> str:
    """Month of a number's latest turn for a repeated request: monthly, spread over the days of the month."""
    turn = int(number) % _SLOTS + 1
    month = today if today.day >= turn else today.replace(day=1) - timedelta(days=1)
    return f"{month:%Y-%m}"


class FetchedAccounts:
    """Numbers and the mark of their latest request. Failed ones keep the number of runs that tried them."""

    def __init__(self, years: dict[str, str] | None = None, failures: dict[str, int] | None = None) -> None:
        self._years = years or {}
        self._failures = failures or {}

    @classmethod
    def of(cls, cursor: Cursor | None) -> FetchedAccounts:
        """Decodes a cursor; an unreadable one counts as empty."""
        unpacked = unpack_cursor(cursor, cls._unpacked)
        return cls() if unpacked is None else unpacked  # one with failures alone is empty, and false

    @classmethod
    def _unpacked(cls, packed: dict[str, Any]) -> FetchedAccounts:
        failures = {str(number): int(runs) for number, runs in packed.pop(_FAILED, {}).items()}
        return cls(_parse_marks(packed), failures)

    def cursor(self) -> Cursor:
        by_year: dict[str, list[int]] = {}
        for number, year in self._years.items():
            by_year.setdefault(year, []).append(int(number))
        packed: dict[str, Any] = {year: to_differences(found) for year, found in by_year.items()}
        return pack_cursor(packed | ({_FAILED: self._failures} if self._failures else {}))

    def has_accounts(self, number: str, year: str) -> bool:
        """True if these accounts, or newer ones, were requested."""
        return self._years.get(number, "") >= year and number in self._years

    def add(self, number: str, year: str) -> None:
        self._years[number] = year
        self._failures.pop(number, None)

    def failed(self, number: str, year: str) -> None:
        """Counts a run that tried a number in vain; after MOST_RUNS of them it waits for its next turn."""
        runs = self._failures.get(number, 0) + 1
        if runs >= MOST_RUNS:
            self.add(number, year)
        else:
            self._failures[number] = runs

    def has_failed(self, number: str) -> bool:
        """True if the last run that requested a number had no answer."""
        return number in self._failures

    def __len__(self) -> int:
        return len(self._years)


def _parse_marks(packed: dict[str, list[int]]) -> dict[str, str]:
    return {f"{number:09}": year for year, steps in packed.items() for number in from_differences(steps)}
