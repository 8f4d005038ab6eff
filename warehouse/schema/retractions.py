"""Retraction of batches: what was ingested in them is taken out of use, and stays stored.

Does not belong here: where retractions are recorded (`warehouse.raw.archive`), or what they change in a history
(`warehouse.history.adoption`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Self

RETRACTED_MARK: Final = "retracted"  # marks of a history; keys: `BatchRetraction.mark`


@dataclass(frozen=True, slots=True)
class BatchRetraction:
    """Batches of some datasets of one market that are out of use since an instant.

    newest: the market's newest staged batch at that instant; batches after it have been staged without these.
    pending: `dataset/batch` of what was staged and not applied then: whichever run applies it does so after the
    retraction. reopened: (staged table, key) of the deletion checks that these batches alone had answered.
    """

    batches: tuple[str, ...]
    datasets: tuple[str, ...]
    newest: str
    at: datetime
    by: str
    reason: str
    pending: tuple[str, ...] = ()
    reopened: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def left_out(self) -> frozenset[str]:
        """The retracted batches as `dataset/batch`."""
        return frozenset(f"{dataset}/{batch}" for dataset in self.datasets for batch in self.batches)

    def repeated_batches(self, staged: Collection[str]) -> frozenset[str]:
        """Batches between the first retracted one and the retraction: a cursor set by them skips what is retracted."""
        return frozenset(batch for batch in staged if min(self.batches) < batch <= self.newest)

    def as_json(self) -> dict[str, Any]:
        """The retraction as JSON values; what is empty is left out, as earlier versions did."""
        found: dict[str, Any] = {
            "retracted": list(self.batches),
            "datasets": list(self.datasets),
            "newest": self.newest,
            "at": self.at.isoformat(),
            "by": self.by,
            "reason": self.reason,
        }
        if self.pending:
            found["pending"] = list(self.pending)
        if self.reopened:
            found["reopened"] = [[table, list(key)] for table, key in self.reopened]
        return found

    @classmethod
    def parse(cls, value: Mapping[str, Any]) -> Self:
        """Reads `as_json`; further members are ignored."""
        return cls(
            tuple(value["retracted"]),
            tuple(value["datasets"]),
            value["newest"],
            datetime.fromisoformat(value["at"]),
            value["by"],
            value["reason"],
            tuple(value.get("pending", ())),
            tuple((table, tuple(key)) for table, key in value.get("reopened", ())),
        )

    @property
    def mark(self) -> str:
        """The key under which a history records that it has taken the batches out."""
        return json.dumps(self.as_json())
