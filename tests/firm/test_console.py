"""What the command line prints of files: no control character of a name or a content reaches the terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from firm.console import print_table, printable_text
from tests.firm.inside import Inside

HOSTILE = "[/red]\x1b[31mred\x00\ttab"
ESCAPED = r"[/red]\x1b[31mred\x00\ttab"


def test_printable_text_escapes_control_characters_alone() -> None:
    assert printable_text(HOSTILE) == ESCAPED
    assert printable_text("Åre «bruk» … 1,5 %") == "Åre «bruk» … 1,5 %"


@pytest.mark.parametrize("is_terminal", [False, True])
def test_print_table_of_a_hostile_cell_shows_it_escaped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    print_table(("file",), [(HOSTILE,)])
    assert ESCAPED in capsys.readouterr().out


@pytest.mark.slow
def test_ingest_of_a_file_with_control_characters_prints_none(tmp_path: Path) -> None:
    path = tmp_path / "files" / "no" / "enheter" / "enheter_alle.json.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(f"garbage{HOSTILE}".encode())
    said = Inside(tmp_path / "data").run("ingest", "no", "--from", tmp_path / "files")
    assert (said.exit_code, f"garbage{ESCAPED[:12]}" in said.out) == (4, True)
    assert [one for one in said.out + said.err if not one.isprintable() and one not in "\n\t"] == []
