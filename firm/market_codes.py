"""Market codes as arguments of commands: in either case; unknown ones are rejected before anything is opened."""

from __future__ import annotations

from collections.abc import Iterable

from firm.cli_errors import USAGE, fail
from warehouse.schema.codes import SERVED


def known_markets(codes: Iterable[str]) -> list[str]:
    """The codes as releases spell them; exits with a usage error at the first unknown one."""
    chosen = [code.upper() for code in codes]
    for code in chosen:
        if code not in SERVED:
            fail(f"unknown market {code.lower()!r}; known: {', '.join(SERVED)}", USAGE)
    return chosen
