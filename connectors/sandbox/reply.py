"""What a desk of the sandbox answers, before it is HTTP.

Does not belong here: what any desk tells, or faults and headers (`answers`, `server`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, kind and body of one answer. `fixed`: the same until the next day, and asked for with validators."""

    status: int
    kind: str
    body: bytes
    fixed: bool = False
