"""What deployment files promise operators: time to stop in, and commands that can be typed as they are written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from api.settings.service import ApiSettings
from tests.firm.inside import Inside

DEPLOY: Final = Path(__file__).resolve().parents[2] / "deploy"
KILLED_AFTER_SECONDS: Final = 10  # by compose, of a service that says nothing
SPARE_SECONDS: Final = 5  # of a supervisor, to its workers


@pytest.mark.parametrize("name", ["compose.yaml", "compose.machines.yaml"])
def test_service_may_end_its_requests_before_it_is_killed(name: str) -> None:
    services: dict[str, dict[str, Any]] = yaml.safe_load((DEPLOY / name).read_text())["services"]
    given = {
        service: int(values.get("stop_grace_period", f"{KILLED_AFTER_SECONDS}s").removesuffix("s"))
        for service, values in services.items()
        if values.get("command", [])[:2] in (["firm", "serve"], ["firm", "deliver"], ["firm", "dagster"])
    }
    assert given
    needed = ApiSettings().shutdown_seconds + SPARE_SECONDS
    assert {service for service, seconds in given.items() if seconds <= needed} == set()


def test_commands_of_the_readme_make_an_account_and_a_key(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    written = re.findall(r"exec serve firm (.*)$", (DEPLOY / "README.md").read_text(), re.MULTILINE)
    assert [command.split()[0] for command in written] == ["accounts", "keys"]
    for command in written:
        said = firm.run(*command.split())
        assert said.exit_code == 0, said.err
