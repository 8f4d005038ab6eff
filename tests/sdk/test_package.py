"""The package as it is installed, and its generated part."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sdk.conftest import Live

PACKAGE = Path(__file__).parents[2] / "sdk" / "python"
README = (PACKAGE / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_models_are_those_of_the_document(tmp_path: Path) -> None:
    written = tmp_path / "models.py"
    document = PACKAGE.parents[1] / "tests" / "architecture" / "openapi.json"
    subprocess.run([sys.executable, PACKAGE / "scripts" / "generate_models.py", document, written], check=True)
    assert written.read_text() == (PACKAGE / "src/firmdata/models.py").read_text(), "stale: run make generate"


@pytest.mark.slow
def test_the_installed_wheel_runs_the_readme(live: Live, tmp_path: Path) -> None:
    """In a bare folder: what is not in the wheel is not found."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, PACKAGE]
    subprocess.run([*pip, *build], check=True, env=os.environ | {"PYTHONWARNINGS": "ignore"})
    [wheel] = tmp_path.glob("firmdata-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", tmp_path / "site", wheel], check=True)
    first, verified = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    where = f"import firmdata, sys; assert {str(tmp_path)!r} in firmdata.__file__, firmdata.__file__\n"
    told = {"FIRMDATA_API_KEY": live.service.key, "FIRMDATA_BASE_URL": live.url, "PYTHONPATH": str(tmp_path / "site")}
    ran = subprocess.run(
        [sys.executable, "-c", where + first + verified + "print(receive(b'{}', {}, 'whsec_AAAA'))"],
        cwd=tmp_path,
        env=os.environ | told,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("firm:SE:")
    assert lines[-1] == "400"


def test_the_readme_names_what_there_is() -> None:
    import firmdata

    client = firmdata.Client("key", "https://api.example.com")
    for group, name in set(re.findall(r"client\.(companies|events)\.(\w+)", README)):
        assert callable(getattr(getattr(client, group), name))
    assert json.loads(json.dumps(firmdata.__all__)) == sorted(firmdata.__all__, key=lambda one: (one.islower(), one))
