"""Denmark as a market in preview: with FIRM_PREVIEW_MARKETS it is served like any other, without it nothing shows it.

The markets are declared when the program starts, so the tests with the preview on run in a process of their own
(`previewed`); what they leave behind is looked at here with the preview off.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.firm.conftest import Firm
from tests.firm.inside import Inside

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PATIENCE = 900
_PASSED = re.compile(r"(\d+) passed")

REFUSED = re.compile(
    r"firm: release \d+ has companies of Denmark: set FIRM_PREVIEW_MARKETS=dk as when they were taken in, or use another "
    r"FIRM_DATA\n"
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def previewed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The folder of a world that was taken in with the preview on, and how the tests of that ended."""
    folder = tmp_path_factory.mktemp("denmark")
    # They are slow tests of this one, without a mark of their own
    budget = {"FIRM_TEST_SECONDS": str(PATIENCE)}
    environment = {**os.environ, **budget, "FIRM_PREVIEW_MARKETS": "dk", "DENMARK_FOLDER": str(folder)}
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "python_files=cases_*.py", str(HERE / "previewed")]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return folder, done


def test_with_the_preview_on_everything_is_served(previewed: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, done = previewed
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
    found = _PASSED.search(done.stdout)
    assert found is not None
    assert int(found[1]) > 15
    assert "skipped" not in done.stdout


def test_with_the_preview_off_again_its_folder_is_refused(
    previewed: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """Nothing is shown, delivered, changed or added; the line says what to set."""
    folder, _ = previewed
    firm, days = Firm(folder / "data"), folder / "days"
    ended = [firm.run(*words, check=False) for words in (("serve", "--port", "0"), ("deliver",))]
    inside = Inside(folder / "data")
    said = [inside.run(*words) for words in (("ingest", "--from", days / "2026-11-04"), ("export",))]
    told = [(one.returncode, one.stderr) for one in ended] + [(one.exit_code, one.err) for one in said]
    for exit_code, error in told:
        assert exit_code == 1
        assert REFUSED.fullmatch(error), error
