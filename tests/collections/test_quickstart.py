"""Every block of docs/quickstart.md, run against a service: what it prints is what the service says."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.collections.live import EVENTS, Live
from tests.collections.programs import BLOCK, LANGUAGES, PAGE, blocks, run

NULL = {"python": "None", "js": "null"}
NEEDED = {"sh": ("sh", "curl", "openssl"), "python": (), "js": ("node",)}


@pytest.fixture(scope="module")
def largest(service: Live) -> dict[str, Any]:
    return service.get("companies", country="SE", sort="-latest_revenue", limit=1)["data"][0]


def printed(name: str, service: Live, folder: Path) -> list[str]:
    for command in NEEDED[name]:
        if shutil.which(command) is None:
            pytest.skip(f"{command} is not installed")
    return run(name, service, folder)


def test_no_block_is_left_out() -> None:
    found = [name for name, _ in BLOCK.findall(PAGE.read_text(encoding="utf-8"))]
    assert set(found) == set(LANGUAGES)
    assert PAGE.read_text(encoding="utf-8").count("```") == 2 * len(found)


def test_curl(service: Live, largest: dict[str, Any], tmp_path: Path) -> None:
    told = printed("sh", service, tmp_path)
    assert len(told) == len(blocks("sh"))
    *_, search, looked_up, profile, figures, events, attempt, verified, _ = told
    company = largest["id"]
    assert json.loads(search) == service.get("companies", q=largest["name"], limit=3)
    assert json.loads(looked_up)["data"][0] == {
        "match": "exact",
        "company": {"id": company, "name": largest["name"]},
        "candidates": [],
    }
    assert json.loads(profile) == service.get(f"companies/{company}")
    annual, with_sources, owners = (json.loads(line) for line in figures.splitlines() if line)
    assert annual == service.get(f"companies/{company}/financials", period_type="annual", years=5)
    asked = {"period_type": "annual", "years": 1, "include": "sources"}
    assert with_sources == service.get(f"companies/{company}/financials", **asked)
    assert with_sources["data"][0]["sources"]
    assert owners == service.get(f"companies/{company}/ownership")
    pages = [json.loads(line) for line in events.splitlines() if line]
    assert [[row["sequence"] for row in page["data"]] for page in pages] == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert json.loads(attempt)["outcome"] == "succeeded"
    assert verified.splitlines() == ["genuine", "refused"]
    assert service.get("webhooks")["data"] == []


@pytest.mark.parametrize("name", ["python", "js"])
def test_a_language(name: str, service: Live, largest: dict[str, Any], tmp_path: Path) -> None:
    told = printed(name, service, tmp_path)
    assert len(told) == len(blocks(name))
    helper, search, profile, figures, events, attempt, verified, deleted = told
    company = largest["id"]
    found = service.get("companies", q=largest["name"], limit=3)["data"]
    assert search == lines(name, found, "id", "name")
    said = service.get(f"companies/{company}")
    assert said["latest_revenue"] is not None
    latest = lines(name, [said], "latest_year", "latest_revenue", "latest_currency")
    assert profile == lines(name, [said], "name", "status") + "\n" + latest
    periods = service.get(f"companies/{company}/financials", period_type="annual", years=5)["data"]
    assert len(periods) == 5
    assert figures == lines(name, periods, "period", "revenue", "currency")
    changes = service.get(f"companies/{company}/events", order="asc", limit=100)["data"]
    assert len(changes) >= EVENTS
    assert events == lines(name, changes, "sequence", "event_type", "occurred_at") + "\n0"
    assert attempt == "succeeded 204"
    assert verified.splitlines() == ["genuine", "refused"]
    assert helper == deleted == ""
    assert service.get("webhooks")["data"] == []


def lines(name: str, rows: list[dict[str, Any]], *keys: str) -> str:
    """Rows as a language prints them."""
    return "\n".join(" ".join(NULL[name] if row[key] is None else str(row[key]) for key in keys) for row in rows)
