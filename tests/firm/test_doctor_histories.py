"""`firm doctor` on history files: one that is being written is left alone, a damaged one is told."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from firm.doctor.stores import history_findings
from tests.warehouse.helpers import market_history
from warehouse.storage.layout import Layout

WRITING = """
import sys
from pathlib import Path
from warehouse.history.history import MarketHistory
from warehouse.storage.layout import Layout

with MarketHistory(Layout(Path(sys.argv[1])), "NO"):
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "data")


@pytest.fixture
def history(layout: Layout) -> Path:
    with market_history(layout, "NO"):
        pass
    return layout.history_file("NO")


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "begin": lambda content: content[:5000],
    "zeros": lambda content: bytes(len(content)),
    "other": lambda _: b"<html>" * 1000,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_history_is_bad(layout: Layout, history: Path, damage: str) -> None:
    history.write_bytes(DAMAGES[damage](history.read_bytes()))
    [found] = history_findings(layout)
    assert (found.state, found.subject) == ("bad", "history of NO")
    assert f"restore {history} from a copy" in found.advice


def test_a_history_that_another_process_writes_is_left_alone(layout: Layout, history: Path) -> None:
    assert [found.subject for found in history_findings(layout)] == ["history of NO"]
    with subprocess.Popen(
        [sys.executable, "-c", WRITING, str(layout.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        [found] = history_findings(layout)
        process.communicate()
    assert (found.state, found.subject) == ("ok", "history of NO: being written now")
