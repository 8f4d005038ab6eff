"""The protocol's inspector, by its command line, asks the running service for its tools."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import npm
from tests.sdk.conftest import Live

HERE = Path(__file__).parent


def inspected(live: Live, *asked: str, key: str | None = None) -> subprocess.CompletedProcess[str]:
    header = f"Authorization: Bearer {live.service.key if key is None else key}"
    command = [
        npm.commands(HERE) / "mcp-inspector",
        "--cli",
        f"{live.url}/mcp",
        "--transport",
        "http",
        "--header",
        header,
        *asked,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def answered(live: Live, *asked: str) -> Any:
    done = inspected(live, *asked)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_the_inspector_finds_tools_that_every_client_can_use(live: Live) -> None:
    tools = answered(live, "--method", "tools/list", "--strict")["tools"]
    assert {"search_companies", "get_company", "get_financials"} <= {tool["name"] for tool in tools}
    resources = answered(live, "--method", "resources/list")["resources"]
    assert {one["uri"] for one in resources} == {"firmdata://data-dictionary", "firmdata://sources"}


@pytest.mark.slow
def test_the_inspector_calls_a_tool_and_shows_why_a_key_is_refused(live: Live) -> None:
    call = ("--method", "tools/call", "--tool-name", "get_company", "--tool-arg", "company=firm:SE:5599999991")
    assert json.loads(answered(live, *call)["content"][0]["text"])["id"] == "firm:SE:5599999991"
    refused = inspected(live, *call, "--stored-auth-only", key="firm_live_wrong")
    assert refused.returncode != 0
    assert "Check the key" in refused.stdout + refused.stderr
