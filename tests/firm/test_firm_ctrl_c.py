"""Ctrl-C that DuckDB turns into an error of its own ends any command; within a run: `test_firm_kills`."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "{app}; from firm import cli; cli.app = app; cli.main()"


def _run_command(app: str) -> subprocess.CompletedProcess[str]:
    """A command whose work is what the statement `app` binds, in a process of its own: the signal is for it alone."""
    return subprocess.run(
        [sys.executable, "-c", COMMAND.format(app=app)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        # a shell's background process ignores it, and so would its children
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def test_command_interrupted_within_duckdb_ends_with_130_and_no_traceback() -> None:
    ended = _run_command("from tests.firm.endless_query import query as app")
    assert (ended.returncode, ended.stderr) == (130, "")


def test_command_with_another_error_stays_loud() -> None:
    ended = _run_command("app = lambda: int('told')")
    assert ended.returncode == 1
    assert "ValueError: invalid literal for int() with base 10: 'told'" in ended.stderr
