"""A sandbox response before HTTP.

Does not belong here: the content of any response, or faults and headers (`http.routes`, `http.server`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SandboxResponse:
    """Status, content type and body of a response. `fixed`: unchanged until the next day, has validators."""

    status: int
    kind: str
    body: bytes
    is_cacheable: bool = False
