"""What persons have judged of holders, row by row, kept for ever: nothing is overwritten, a reversal is a row too.

One file below the data root, a JSON object a line, appended and made durable before anybody is told that it is
there. It is no register's word and no run makes it: a new data folder needs it as it needs `erased.json`. Does not
belong here: what a judgement does to lines of owners (`pipelines.steps.holder_rules`), or whether its ids are
known (`pipelines.judging`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final

from warehouse import files
from warehouse.locks import exclusive
from warehouse.paths import Layout
from warehouse.schema.verdicts import SAME, Verdict

_WAIT_SECONDS: Final = 60.0
_BREAK: Final = b"\n"


class Unreversible(LookupError):  # noqa: N818 - named for what it says
    """There is no such judgement to reverse; the message says why."""


class Damaged(ValueError):  # noqa: N818 - named for what it says
    """The file has a line that is no judgement; the message names it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One row. `number`: its place in the file, from 1.

    one, other: own ids of records, or `other` the id of a company. verdict: same or different. reverses: the
    number of the judgement that this row takes back; then one, other and verdict are that one's.
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


class Judgements:
    """The judgements below one data root."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def all(self, market: str | None = None) -> tuple[Judgement, ...]:
        """Every row, oldest first, or those of one market. Raises Damaged."""
        return tuple(row for row in self._read()[0] if market in (None, row.market))

    def in_force(self, market: str | None = None) -> tuple[Judgement, ...]:
        """Judgements that nobody has taken back, oldest first."""
        rows = self.all(market)
        back = {row.reverses for row in rows}
        return tuple(row for row in rows if row.reverses is None and row.number not in back)

    def verdicts(self, market: str) -> tuple[Verdict, ...]:
        """What is in force of one market, as the steps need it."""
        return tuple(
            Verdict(row.company_id, row.one, row.other, is_same=row.verdict == SAME)
            for row in self.in_force(market)
        )

    def add(self, judgement: Judgement) -> Judgement:
        """Appends a judgement; its number is given here."""
        return self._append(lambda rows: replace(judgement, number=len(rows) + 1))

    def reverse(self, number: int, by: str, at: datetime, reason: str) -> Judgement:
        """Takes a judgement back. Raises Unreversible where there is none of that number, or it was taken back."""

        def reversal(rows: Sequence[Judgement]) -> Judgement:
            found = next((row for row in rows if row.number == number), None)
            if found is None:
                raise Unreversible(f"no judgement {number}: there are {len(rows)} (firm owners list)")
            if found.reverses is not None:
                raise Unreversible(f"{number} takes back judgement {found.reverses}: judge anew instead")
            if any(row.reverses == number for row in rows):
                raise Unreversible(f"judgement {number} has been taken back already")
            row = replace(found, number=len(rows) + 1, reverses=number)
            return replace(row, by=by, at=at, reason=reason)

        return self._append(reversal)

    def _append(self, made: Any) -> Judgement:
        path = self._layout.judgements
        with exclusive(self._layout, "judgements", "the list of judgements", _WAIT_SECONDS):
            rows, whole = self._read()
            row: Judgement = made(rows)
            files.make_folder(path.parent)
            with path.open("ab") as handle:
                handle.truncate(whole)  # a row that a kill cut off was never told of
                handle.write(json.dumps(_as_json(row), ensure_ascii=False).encode() + _BREAK)
                handle.flush()
                os.fsync(handle.fileno())
            files.sync_folder(path.parent)
        return row

    def _read(self) -> tuple[list[Judgement], int]:
        """The rows, and the bytes they take: what follows the last line break is no row."""
        try:
            content = self._layout.judgements.read_bytes()
        except FileNotFoundError:
            return [], 0
        whole = content.rfind(_BREAK) + 1
        lines = content[:whole].split(_BREAK)[:-1]
        return [self._parsed(number, line) for number, line in enumerate(lines, 1)], whole

    def _parsed(self, number: int, line: bytes) -> Judgement:
        try:
            told = json.loads(line)
            row = Judgement(**{**told, "at": datetime.fromisoformat(told["at"])})
        except (ValueError, TypeError, KeyError) as error:
            raise Damaged(
                f"{self._layout.judgements}: line {number} is no judgement; put the line back as it was"
            ) from error
        if row.number != number:
            raise Damaged(
                f"{self._layout.judgements}: line {number} has the number {row.number}; lines are missing"
            )
        return row


def _as_json(row: Judgement) -> dict[str, Any]:
    return {**asdict(row), "at": row.at.isoformat()}
