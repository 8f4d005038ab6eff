"""Assembles one line of a streaming response in bounded memory.

Does not belong here: connections (`client`), or the content of a line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from connectors.kit.http.rate_limit import FetchClock

LONGEST: Final = 16 << 20  # bytes up to which a line is kept whole
KEPT: Final = 1 << 10  # bytes kept of a longer one
ENDLESS: Final = 256 << 20  # bytes, or seconds (below), after which a line counts as endless
PATIENCE: Final = 600.0


@dataclass(slots=True)
class LineBuffer:
    """A partly received line. Its parts are joined once: a source may send them byte by byte."""

    clock: FetchClock
    parts: list[bytes] = field(default_factory=list)
    size: int = 0
    since: float | None = None

    def add(self, part: bytes) -> None:
        if part and self.since is None:
            self.since = self.clock.monotonic()
        self.size += len(part)
        if self.size <= LONGEST:
            self.parts.append(part)
        elif len(self.parts) != 1 or len(self.parts[0]) > KEPT:
            self.parts = [b"".join((*self.parts, part))[:KEPT]]

    def taken(self) -> bytes:
        """Returns the line, empty if blank, and starts the next one."""
        whole = b"".join(self.parts)
        self.parts, self.size, self.since = [], 0, None
        return whole if whole.strip() else b""

    def is_over_limit(self) -> bool:
        """True if the line is too long or too slow to wait for its end."""
        slow = self.since is not None and self.clock.monotonic() - self.since > PATIENCE
        return slow or self.size > ENDLESS
