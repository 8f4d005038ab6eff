"""Append-only log of manual decisions about holders: nothing is overwritten, a reversal is a further row.

One JSONL file in the data root; each row is durable before it is returned. No source or run can recreate it: a
new data folder needs a copy, like `erased.json`. Only an erasure changes a row: of its reason, which a person wrote.
Copies of the log that differ in that alone are the same log (`merge_decision_logs`). Does not belong here: the effect
of a decision on owners (`pipelines.transforms.holders.match_rules`), or whether its ids are known
(`pipelines.curation.holder_decisions`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from warehouse.schema.codes import ERASED
from warehouse.schema.decisions import SAME, HolderDecision
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout
from warehouse.storage.locks import exclusive_lock

_WAIT_SECONDS: Final = 60.0
_BREAK: Final = b"\n"


class IrreversibleDecisionError(LookupError):
    """There is no such decision to reverse; the message says why."""


class CorruptDecisionLogError(ValueError):
    """The file has an invalid line; the message names it."""


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One row of the decision log. `number`: its line in the file, from 1.

    one, other: ids of holder records, or `other` a company id. verdict: same or different. reverses: number of
    the decision that this row reverses; one, other and verdict are then copied from it.
    """

    number: int
    market: str
    company_id: str
    one: str
    other: str
    verdict: str
    by: str
    at: datetime
    reason: str
    reverses: int | None = None


class DecisionLog:
    """The decision log of one data root."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def all(self, market: str | None = None) -> tuple[DecisionRecord, ...]:
        """All rows, or those of one market, oldest first. Raises CorruptDecisionLogError."""
        return tuple(row for row in self._read_rows()[0] if market in (None, row.market))

    def active_decisions(self, market: str | None = None, newest: int | None = None) -> tuple[DecisionRecord, ...]:
        """Decisions that have not been reversed, oldest first; newest: as of the row of this number."""
        rows = [row for row in self.all(market) if newest is None or row.number <= newest]
        back = {row.reverses for row in rows}
        return tuple(row for row in rows if row.reverses is None and row.number not in back)

    def holder_decisions(self, market: str, newest: int | None = None) -> tuple[HolderDecision, ...]:
        """Decisions in force in one market, in the form used by the pipeline steps; newest: see `active_decisions`."""
        return tuple(
            HolderDecision(row.company_id, row.one, row.other, is_same=row.verdict == SAME)
            for row in self.active_decisions(market, newest)
        )

    def add(self, decision: DecisionRecord) -> DecisionRecord:
        """Appends a decision and assigns its number."""
        return self._append_row(lambda rows: replace(decision, number=len(rows) + 1))

    def reverse(self, number: int, by: str, at: datetime, reason: str) -> DecisionRecord:
        """Reverses a decision.

        Raises IrreversibleDecisionError if there is none with that number, or it is reversed already.
        """

        def reversal(rows: Sequence[DecisionRecord]) -> DecisionRecord:
            found = next((row for row in rows if row.number == number), None)
            if found is None:
                raise IrreversibleDecisionError(f"no decision {number}: there are {len(rows)} (firm owners list)")
            if found.reverses is not None:
                raise IrreversibleDecisionError(f"{number} reverses decision {found.reverses}: make a new one instead")
            if any(row.reverses == number for row in rows):
                raise IrreversibleDecisionError(f"decision {number} is already reversed")
            row = replace(found, number=len(rows) + 1, reverses=number)
            return replace(row, by=by, at=at, reason=reason)

        return self._append_row(reversal)

    def redact_reasons(self, redact: Callable[[DecisionRecord], str]) -> None:
        """Replaces the reason of each row by what an erasure leaves of it; everything else stays, with its number."""
        path = self._layout.decision_log_file
        with exclusive_lock(self._layout, "judgements", "the list of decisions", _WAIT_SECONDS):
            rows, _ = self._read_rows()
            redacted = [replace(row, reason=redact(row)) for row in rows]
            if redacted != rows:
                atomic_files.write_bytes(path, b"".join(map(_row_bytes, redacted)))

    def _append_row(self, made: Any) -> DecisionRecord:
        path = self._layout.decision_log_file
        with exclusive_lock(self._layout, "judgements", "the list of decisions", _WAIT_SECONDS):
            rows, whole = self._read_rows()
            row: DecisionRecord = made(rows)
            atomic_files.make_folder(path.parent)
            with path.open("ab") as handle:
                handle.truncate(whole)  # cuts off an incomplete row, which was never returned
                handle.write(_row_bytes(row))
                handle.flush()
                os.fsync(handle.fileno())
            atomic_files.sync_folder(path.parent)
        return row

    def _read_rows(self) -> tuple[list[DecisionRecord], int]:
        """The rows and their size in bytes, without an incomplete last line."""
        try:
            content = self._layout.decision_log_file.read_bytes()
        except FileNotFoundError:
            return [], 0
        whole = content.rfind(_BREAK) + 1
        lines = content[:whole].split(_BREAK)[:-1]
        return [self._parse_row(number, line) for number, line in enumerate(lines, 1)], whole

    def _parse_row(self, number: int, line: bytes) -> DecisionRecord:
        try:
            told = json.loads(line)
            row = DecisionRecord(**{**told, "at": datetime.fromisoformat(told["at"])})
        except (ValueError, TypeError, KeyError) as error:
            raise CorruptDecisionLogError(
                f"{self._layout.decision_log_file}: line {number} is not a decision; restore the line"
            ) from error
        if row.number != number:
            raise CorruptDecisionLogError(
                f"{self._layout.decision_log_file}: line {number} has the number {row.number}; lines are missing"
            )
        return row


def _row_bytes(row: DecisionRecord) -> bytes:
    return json.dumps(atomic_files.json_fields(row), ensure_ascii=False).encode() + _BREAK


def merge_decision_logs(one: bytes, other: bytes) -> bytes | None:
    """The log of which two copies are a part each; None if they have diverged. An erased reason stays erased."""
    rows, others = one.splitlines(keepends=True), other.splitlines(keepends=True)
    common = [_merge_lines(*pair) for pair in zip(rows, others, strict=False)]
    whole = [line for line in common if line is not None]
    if len(whole) < len(common):
        return None
    return b"".join((*whole, *rows[len(common) :], *others[len(common) :]))


def _merge_lines(one: bytes, other: bytes) -> bytes | None:
    """One row of two copies; None if they are not the same decision."""
    if one == other:
        return one
    try:
        row, twin = json.loads(one), json.loads(other)
        is_same = {**row, "reason": ERASED} == {**twin, "reason": ERASED}
        erased = [line for line, told in ((one, row), (other, twin)) if told["reason"] == ERASED]
    except (ValueError, TypeError, KeyError):
        return None
    return erased[0] if erased and is_same else None
