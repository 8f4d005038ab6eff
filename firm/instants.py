"""Instants as options of commands: with or without an offset, `Z` included; without one they are UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Final

import typer

_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?"
)


def instant_option(help_text: str) -> Any:
    """An option whose value is an instant in UTC."""
    return typer.Option(help=help_text, parser=read_instant, metavar="INSTANT")


def read_instant(text: str) -> datetime:
    """Reads a day or an instant, as `2026-11-20` or `2026-11-20T09:00:00Z`. Raises typer.BadParameter."""
    try:
        read = datetime.fromisoformat(text) if _INSTANT.fullmatch(text) else None
        if read is not None:
            return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError):
        pass  # a day or an hour that the calendar does not have
    raise typer.BadParameter(f"{text!r} is no instant: write it as 2026-11-20, 2026-11-20T09:00:00Z or with +01:00")
