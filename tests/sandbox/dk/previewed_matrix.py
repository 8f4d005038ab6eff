"""The table of the market in preview in docs/event-matrix.md."""

from pathlib import Path

BEGIN = "<!-- matrix of events in preview: tests/sandbox/dk/test_dk_preview.py -->"
END = "<!-- end of the matrix in preview -->"


def written_table() -> str:
    """What is between the marks of the preview."""
    text = (Path(__file__).resolve().parents[3] / "docs" / "event-matrix.md").read_text(encoding="utf-8")
    return text.partition(BEGIN)[2].partition(END)[0].strip()
