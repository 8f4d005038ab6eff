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
    """

    batches: tuple[str, ...]
    datasets: tuple[str, ...]
    newest: str
    at: datetime
    by: str
    reason: str

    @property
    def left_out(self) -> frozenset[str]:
        """The retracted batches as `dataset/batch`."""
        return frozenset(f"{dataset}/{batch}" for dataset in self.datasets for batch in self.batches)

    def repeated_batches(self, staged: Collection[str]) -> frozenset[str]:
        """Batches between the first retracted one and the retraction: a cursor set by them skips what is retracted."""
        return frozenset(batch for batch in staged if min(self.batches) < batch <= self.newest)

    def as_json(self) -> dict[str, Any]:
        """The retraction as JSON values."""
        return {
            "retracted": list(self.batches),
            "datasets": list(self.datasets),
            "newest": self.newest,
            "at": self.at.isoformat(),
            "by": self.by,
            "reason": self.reason,
        }

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
        )

    @property
    def mark(self) -> str:
        """The key under which a history records that it has taken the batches out."""
        return json.dumps(self.as_json())
