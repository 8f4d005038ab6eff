"""Fixtures every test may use."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def sources() -> Path:
    """Genuine registry files beside the project; a test that needs them is skipped where they are absent."""
    folder = ROOT.parent / "shared" / "sources"
    if not folder.is_dir():
        pytest.skip("no genuine registry files beside the project (../shared/sources)")
    return folder
