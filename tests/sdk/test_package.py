"""The package as it is installed, and its generated part."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from api.webhooks.egress.signing import make_secret, signature_headers
from tests.sdk.conftest import Live

PACKAGE = Path(__file__).parents[2] / "sdk" / "python"
README = (PACKAGE / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_models_are_those_of_the_document(tmp_path: Path) -> None:
    written = tmp_path / "models.py"
    document = PACKAGE.parents[1] / "tests" / "architecture" / "openapi.json"
    subprocess.run([sys.executable, PACKAGE / "scripts" / "generate_models.py", document, written], check=True)
    assert written.read_text() == (PACKAGE / "src/firmdata/models.py").read_text(), "stale: run make generate"


@pytest.mark.slow
def test_the_installed_wheel_runs_the_readme(live: Live, wheel: Path, tmp_path: Path) -> None:
    """In a bare folder: what is not in the wheel is not found."""
    place = f"import firmdata, sys; assert {str(wheel.parents[1])!r} in firmdata.__file__, firmdata.__file__\n"
    given = {"FIRMDATA_API_KEY": live.service.key, "FIRMDATA_BASE_URL": live.url}
    ran = subprocess.run(
        [wheel, "-c", place + "".join(EXAMPLES) + "print(receive(b'{}', {}, 'whsec_AAAA'))"],
        cwd=tmp_path,
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines() == [*live.lines_of_example("None"), "missing_header", "400"]


@pytest.mark.slow
def test_the_readme_is_typed_by_the_wheel(wheel: Path, tmp_path: Path) -> None:
    """By pyright, strictly; a call that the client does not have is noticed."""
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    for number, example in enumerate(EXAMPLES):
        (tmp_path / f"example_{number}.py").write_text(example)
    (tmp_path / "wrong.py").write_text(
        "import firmdata\n\ncompany = firmdata.Client().companies.get('1')\nrevenue: str = company.latest_revenue\n"
    )
    checker = Path(sys.executable).with_name("basedpyright")
    command = [checker, "--outputjson", "--pythonpath", wheel]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = json.loads(ran.stdout)["generalDiagnostics"]
    assert [(Path(one["file"]).name, one["rule"]) for one in found] == [("wrong.py", "reportAssignmentType")], found


def test_the_readme_receives_a_delivery_of_every_type() -> None:
    names: dict[str, Any] = {}
    exec(EXAMPLES[-1], names)
    document = json.loads((PACKAGE.parents[1] / "tests/architecture/openapi.json").read_text(encoding="utf-8"))
    secret = make_secret()
    for event_type, webhook in document["webhooks"].items():
        body = json.dumps(webhook["post"]["requestBody"]["content"]["application/json"]["example"]).encode()
        headers = signature_headers((secret,), "evt_1", int(time.time()), body)
        assert names["receive"](body, headers, secret) == 204, event_type


def test_versions_that_read_events_wrongly_are_not_installed() -> None:
    """httpx-sse before 0.4.2 ends a line at U+2028 in a title; pydantic before 2.8 reads filing.updated as added."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {one.name: one.specifier for one in map(Requirement, project["dependencies"])}
    for name, first in (("httpx-sse", "0.4.2"), ("pydantic", "2.8.0")):
        assert first in needed[name]
    for name, last_wrong in (("httpx-sse", "0.4.1"), ("pydantic", "2.7.4")):
        assert last_wrong not in needed[name]


def test_the_readme_names_what_there_is() -> None:
    import firmdata

    client = firmdata.Client("key", "https://api.example.com")
    for group, name in set(re.findall(r"client\.(companies|events)\.(\w+)", README)):
        assert callable(getattr(getattr(client, group), name))
    assert json.loads(json.dumps(firmdata.__all__)) == sorted(firmdata.__all__, key=lambda one: (one.islower(), one))
