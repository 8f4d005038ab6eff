"""One line of an endless answer, put together from what comes in bounded memory.

Does not belong here: connections (`http`), or what a line says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from connectors.kit.limits import Clock

LONGEST: Final = 16 << 20  # bytes of a line that is kept whole
KEPT: Final = 1 << 10  # of a longer one
ENDLESS: Final = 256 << 20  # past so many bytes or seconds there is no line any more
PATIENCE: Final = 600.0


@dataclass(slots=True)
class Line:
    """A line on its way. Its parts are joined once: a source may send them byte by byte."""

    clock: Clock
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
        """The line, empty where it is blank; the next one begins."""
        whole = b"".join(self.parts)
        self.parts, self.size, self.since = [], 0, None
        return whole if whole.strip() else b""

    def is_endless(self) -> bool:
        """Whether nobody would wait for its end."""
        slow = self.since is not None and self.clock.monotonic() - self.since > PATIENCE
        return slow or self.size > ENDLESS
