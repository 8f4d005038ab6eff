"""Keyed marks that tell persons of one name apart after the register's date of birth has been removed.

A mark is made while a body is redacted, from the company and the year and month of birth, with a secret of the
installation. Two marks of one key and one company that differ are of two persons; equal ones may be of one. Marks of
two keys are not compared. Without the key no mark leads to a month, and marks of two companies have nothing in common.
Belongs here: the mark. Does not belong here: where the key is kept (`pipelines.runtime.mark_key`), which bodies have
marks (`mark_persons` of a dataset), or what differing marks mean for holders (`pipelines.transforms.holders`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final

_MARK_BYTES: Final = 4  # two persons of one name and company share a mark by chance once in four thousand million
_ID_BYTES: Final = 4
_MONTHS: Final = 12
_FIRST_YEAR: Final = 1850
_LAST_YEAR: Final = 2200


@dataclass(frozen=True)
class PersonMarker:
    """Makes marks with one key, of 16 to 64 bytes."""

    key: bytes = field(repr=False)

    @cached_property
    def key_id(self) -> str:
        """Identifies the key without revealing anything about it; every mark begins with it."""
        return blake2b(b"id", key=self.key, digest_size=_ID_BYTES, person=b"mark key").hexdigest()

    def mark(self, company: str, year: Any, month: Any) -> str | None:
        """The mark of a person of a company; None if year or month is missing or impossible."""
        if not (_is_number(year) and _is_number(month)):
            return None
        born, within = int(year), int(month)
        if not (_FIRST_YEAR <= born <= _LAST_YEAR and 1 <= within <= _MONTHS):
            return None
        return self._mark_of(f"{company}:{born:04}-{within:02}")

    def mark_of_year(self, company: str, year: Any) -> str | None:
        """As `mark`, where a register states the year of birth alone; the two are not comparable."""
        if not _is_number(year) or not _FIRST_YEAR <= int(year) <= _LAST_YEAR:
            return None
        return self._mark_of(f"{company}:{int(year):04}")

    def _mark_of(self, facts: str) -> str:
        text = facts.encode()
        return f"{self.key_id}-{blake2b(text, key=self.key, digest_size=_MARK_BYTES, person=b'mark').hexdigest()}"


def _is_number(value: Any) -> bool:
    """True for a whole number, or a text of a few digits."""
    if isinstance(value, str):
        return value.isascii() and value.isdecimal() and len(value) <= len(str(_LAST_YEAR))
    return isinstance(value, int) and not isinstance(value, bool)
