"""The notebooks of `examples`, executed over the lived world: what they find is what the world's plan says."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import firmdata
import nbformat
import polars as pl
import pytest
from nbclient import NotebookClient

from tests.firm.agent_questions import Truth
from tests.firm.conftest import ROOT, Firm
from tests.firm.lived_world import lived_world

NOTEBOOKS = ROOT / "examples" / "notebooks"


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Truth, str, str]]:
    folder = lived_world(tmp_path_factory)
    with Firm(folder / "data").serving() as client:
        key = client.headers["Authorization"].removeprefix("Bearer ")
        yield Truth(json.loads((folder / "truth.json").read_text())), str(client.base_url), key


@pytest.fixture
def executed(lived: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Executes a notebook and gives the JSON value of an expression at its end."""
    told = {"FIRMDATA_BASE_URL": lived[1], "FIRMDATA_API_KEY": lived[2]}
    of_kernels = {"IPYTHONDIR": tmp_path / "ipython", "JUPYTER_RUNTIME_DIR": tmp_path / "run"}
    for name, value in (told | of_kernels | {"PYTHONPATH": ROOT / "sdk/python/src"}).items():
        monkeypatch.setenv(name, str(value))

    def execute(name: str, expression: str) -> Any:
        notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
        notebook.cells.append(nbformat.v4.new_code_cell(f"import json\nprint(json.dumps({expression}))"))
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
        return json.loads(notebook.cells[-1].outputs[0].text)

    return execute


@pytest.mark.slow
def test_five_countries_in_one_frame(lived: Any, executed: Any) -> None:
    truth = lived[0]
    by_country, growth = executed("five_countries.ipynb", "[by_country.rows(), growth.rows()]")
    profiles = [one["profile"] for one in truth.states.values()]
    assert by_country == [
        [
            country,
            len(own),
            sum(one["status"] == "active" for one in own),
            sum(one["is_listed"] for one in own),
            sum(one["latest_revenue"] is not None for one in own),
        ]
        for country in ("FI", "NO", "SE", "UK", "US")
        for own in [[one for one in profiles if one["country"] == country]]
    ]
    largest = max((one for one in profiles if one["latest_currency"] == "GBP"), key=lambda one: one["latest_revenue"])
    assert growth[-1][0][:5] == "firm:"
    assert [largest["latest_revenue"]] == [row[3] for row in growth if row[0] == largest["id"]][-1:]
    assert all(row[5].startswith("fil_") and row[6] >= 1 for row in growth)


@pytest.mark.slow
def test_events_into_duckdb(lived: Any, executed: Any) -> None:
    events = lived[0].events
    loaded, by_type, ended, again = executed("events_into_duckdb.ipynb", "[loaded, by_type, ended, load_new_events()]")
    assert (loaded, again) == (len(events), 0)
    expected = Counter((one["event_type"], one["data"]["country"]) for one in events)
    assert {(event_type, country): count for event_type, country, count in by_type} == expected
    states = {company: status for company, _, status, _ in ended}
    assert states
    assert all(lived[0].states[company]["profile"]["status"] == status for company, status in states.items())


def code_of(name: str) -> list[str]:
    cells = json.loads((NOTEBOOKS / name).read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def test_growth_is_that_since_the_year_before_of_as_many_months() -> None:
    years = [
        (2019, 50, 12),
        (2021, 100, 12),
        (2022, 110, 12),
        (2023, 90, 6),
        (2024, 220, 12),
        (2025, 0, 12),
        (2026, 5, 12),
    ]
    rows = [
        {
            "company_id": "firm:SE:1",
            "is_consolidated": True,
            "currency": "SEK",
            "fiscal_year": year,
            "period": str(year),
            "period_end": f"{year}-12-31",
            "period_months": months,
            "revenue": revenue,
            "filing_id": "fil_1",
            "version": 1,
        }
        for year, revenue, months in years
    ]
    last = code_of("five_countries.ipynb")[-1]
    names: dict[str, Any] = {"pl": pl, "figures": pl.DataFrame(rows)}
    exec(last[last.index("series = ") :], names)
    found = {row["period"]: row["growth"] for row in names["growth"].to_dicts()}
    assert found.pop("2022") == pytest.approx(0.1)
    assert found.pop("2025") == -1
    assert set(found.values()) == {None}


def test_events_in_duckdb_are_those_of_the_api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads((ROOT / "tests/architecture/openapi.json").read_text())
    page = document["paths"]["/api/v1/events"]["get"]["responses"]["200"]["content"]["application/json"]["example"]
    events = firmdata.models.EventFeed.model_validate(page).data
    client = SimpleNamespace(events=SimpleNamespace(list=lambda **_: events))
    monkeypatch.setattr(firmdata, "Client", lambda: client)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for cell in code_of("events_into_duckdb.ipynb")[:2]:
        exec(cell, names)
    stored: duckdb.DuckDBPyConnection = names["database"]
    assert [json.loads(data) for (data,) in stored.execute("select data from events").fetchall()] == [
        one["data"] for one in page["data"]
    ]
    stored.close()


def test_notebooks_are_kept_without_what_they_printed() -> None:
    kept = sorted(NOTEBOOKS.glob("*.ipynb"))
    assert len(kept) == 2
    for path in kept:
        cells = json.loads(path.read_text())["cells"]
        assert [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")] == [], path.name
