"""Instants on the command line: every way of writing one that the API itself writes or accepts, and no guess."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer

from firm.instants import read_instant
from tests.firm.inside import Inside

NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20T09:00:00",
        "2026-11-20 09:00:00",
        "2026-11-20T09:00:00Z",
        "2026-11-20T09:00:00.000Z",
        "2026-11-20T09:00:00+00:00",
        "2026-11-20T10:00:00+01:00",
        "2026-11-20T03:30:00-05:30",
    ],
)
def test_an_instant_is_read_with_and_without_an_offset(text: str) -> None:
    assert read_instant(text) == NINE
    assert read_instant(text).tzinfo is UTC


def test_a_day_begins_at_midnight_of_utc() -> None:
    assert read_instant("2026-11-20") == datetime(2026, 11, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "tomorrow",
        "",
        "2026-11-31",
        "2026-11-20T25:00:00Z",
        "20261120",
        "2026-W47-5",
        "2026-11-20T09",
        "2026-11-20Z",
        "0001-01-01T00:00:00+01:00",
        "٢٠٢٦-11-20",
    ],
)
def test_what_is_no_instant_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no instant: write it as 2026-11-20, "):
        read_instant(text)


def test_both_commands_read_it(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    for command in (
        ("ingest", "--sandbox", "--at"),
        ("keys", "create", "--account", "a", "--kind", "live", "--expires"),
    ):
        said = firm.run(*command, "2026-11-20T25:00:00Z")
        assert said.exit_code == 2
        assert "is no instant" in " ".join(said.err.replace("│", " ").split())
