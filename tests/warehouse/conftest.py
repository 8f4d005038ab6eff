"""A data root for each test; makes the helpers beside these tests importable, in started processes too."""

import sys
from pathlib import Path

import pytest

from warehouse.storage.layout import Layout

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "data")
