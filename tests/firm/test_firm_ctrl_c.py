"""Ctrl-C that DuckDB turns into an error of its own ends any command; within a run: `test_firm_kills`."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator

import pytest

from firm import cli
from tests.firm import interrupted


@pytest.fixture
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a command sets for its process is not for the other tests."""
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    collected, alarm = gc.get_threshold(), signal.getsignal(signal.SIGALRM)
    interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background process ignores it
    yield
    signal.signal(signal.SIGINT, interrupt)
    gc.set_threshold(*collected)
    signal.signal(signal.SIGALRM, alarm)


@pytest.mark.usefixtures("as_it_was")
def test_a_command_that_asks_duckdb_itself_ends_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "app", interrupted.query)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 130


@pytest.mark.usefixtures("as_it_was")
def test_what_is_no_interrupt_stays_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    def app() -> None:
        raise RuntimeError("told")

    monkeypatch.setattr(cli, "app", app)
    with pytest.raises(RuntimeError, match="told"):
        cli.main()
