"""The notebooks of `examples`, executed over the lived world: what they find is what the world's plan says."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
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


def test_notebooks_are_kept_without_what_they_printed() -> None:
    kept = sorted(NOTEBOOKS.glob("*.ipynb"))
    assert len(kept) == 2
    for path in kept:
        cells = json.loads(path.read_text())["cells"]
        assert [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")] == [], path.name
