"""Who may import whom, and what no file may hold. Each import contract is seen to go red on a planted violation."""

import os
import re
import shutil
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest

from warehouse.schema.markets import MARKETS

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("connectors", "sandbox", "name_matching", "pipelines", "warehouse", "api", "firm")
SHARED = ("contract", "kit", "gleif", "firds", "esef", "listings")


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=folder,
        env={**os.environ, "COLUMNS": "400"},  # no contract's name is wrapped
        capture_output=True,
        text=True,
        check=False,
    )


def _python_files() -> list[Path]:
    return [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]


@pytest.fixture(scope="module")
def copied_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


VIOLATIONS = {
    "schema-leaf": ("warehouse/schema/codes.py", "import polars"),
    "name-matching": ("name_matching/folding.py", "import warehouse.storage.layout"),
    "warehouse": ("warehouse/raw/archive.py", "import connectors.contract.dataset"),
    "warehouse-layers": ("warehouse/release/manifest.py", "import warehouse.ledger.ledger"),
    "warehouse-cycles": ("warehouse/serving/sort_keys.py", "import warehouse.serving.search_table"),
    "kit": ("connectors/kit/json/structs.py", "import sandbox"),
    "connectors": ("connectors/contract/dataset.py", "import warehouse.raw.archive"),
    "countries": ("connectors/no/__init__.py", "import connectors.uk"),
    "connectors-cycles": ("connectors/uk/psc/schema.py", "import connectors.uk.psc.rows"),
    "sandbox-cycles": ("sandbox/model/company.py", "import sandbox.world"),
    "steps": ("pipelines/transforms/events/__init__.py", "import duckdb"),
    "pipelines": ("pipelines/ingest/run.py", "import litestar"),
    "pipelines-layers": ("pipelines/steps/publish.py", "import pipelines.erasure.market"),
    "pipelines-cycles": ("pipelines/steps/batch_figures.py", "import pipelines.steps.normalise"),
    "api": ("api/app.py", "import warehouse.history.history"),
    "api-layers": ("api/email/smtp.py", "import api.companies.lookup"),
    "api-cycles": ("api/webhooks/egress/dns.py", "import api.webhooks.delivery.sync"),
    "reader": ("warehouse/reader/reader.py", "import pyarrow"),
    "remote": ("warehouse/replication/releases.py", "import polars"),
    "firm": ("pipelines/settings.py", "import firm"),
    "firm-cycles": ("firm/demo/background_server.py", "import firm.commands.serve"),
}


def test_the_tree_keeps_every_contract(copied_tree: Path) -> None:
    result = _lint(copied_tree)
    assert result.returncode == 0, result.stdout


@pytest.fixture(scope="module")
def broken_contracts(copied_tree: Path) -> dict[str, str]:
    """What is reported of each contract, by its name, of a tree in which every violation is planted."""
    originals = {copied_tree / name: (copied_tree / name).read_text() for name, _ in VIOLATIONS.values()}
    for name, line in VIOLATIONS.values():
        with (copied_tree / name).open("a") as file:
            file.write(f"\n{line}\n")
    try:
        result = _lint(copied_tree)
    finally:
        for path, original in originals.items():
            path.write_text(original)
    assert result.returncode != 0, result.stdout
    _, *parts = re.split(r"^(.+)\n-{4,}\n", result.stdout.partition("\nBroken contracts\n")[2], flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_a_planted_violation_breaks_its_contract(contract: str, broken_contracts: dict[str, str]) -> None:
    """Its own contract names the import, or the folder in which it closes a circle."""
    name, line = VIOLATIONS[contract]
    importer = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    imported = line.removeprefix("import ")
    told = broken_contracts.get(_declared()[contract], "")
    if contract.endswith("-cycles"):
        pairs = zip(importer.split("."), imported.split("."), strict=False)
        folder = ".".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        assert f"No cycles are allowed in {folder}.\n" in told, f"{line!r} in {name} went unseen"
    else:
        assert f"{importer} -> {imported} (" in told, f"{line!r} in {name} went unseen"


def _declared() -> dict[str, str]:
    """Names of the contracts by their ids."""
    text = (ROOT / "pyproject.toml").read_text()
    return dict(re.findall(r'^id = "([a-z-]+)"\nname = "(.+)"$', text, re.MULTILINE))


def test_every_contract_has_a_planted_violation() -> None:
    declared = set(re.findall(r'^id = "([a-z-]+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE))
    assert declared == set(VIOLATIONS)


def _names_of_countries() -> re.Pattern[str]:
    """Codes in quotes, keys of datasets, modules and names of the markets."""
    codes = "|".join(code for market in MARKETS.values() for code in market.codes)
    folders = "|".join(MARKETS).lower()
    names = "|".join(market.name for market in MARKETS.values())
    return re.compile(
        rf"[\"'](?:{codes})[\"']|[\"'](?:{folders})\.[a-z_]+[\"']|connectors\.(?:{folders})\b|\b(?:{names})\b"
    )


@pytest.mark.parametrize(
    "folder", ["pipelines", "api", "warehouse", "firm", "name_matching", *(f"connectors/{name}" for name in SHARED)]
)
def test_no_country_is_named_outside_its_folder(folder: str) -> None:
    """Adding a country is one folder and one line (docs/adding-a-country.md)."""
    country = _names_of_countries()
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in (ROOT / folder).rglob("*.py")
        if "examples" not in path.parts  # the OpenAPI document's examples
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if country.search(line)
    ]
    assert found == []


def test_only_connectors_import_countries() -> None:
    country = re.compile(rf"^(?:from|import) connectors\.(?:{'|'.join(MARKETS).lower()})\b", re.MULTILINE)
    named = [
        path.relative_to(ROOT)
        for path in _python_files()
        if path.relative_to(ROOT).parts[0] != "connectors" and country.search(path.read_text())
    ]
    assert named == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        path
        for path in _python_files()
        if path.stat().st_size and not path.read_text().lstrip().startswith(('"""', "#"))
    ]
    assert silent == []


def test_no_file_grows_into_two_rooms() -> None:
    long = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in _python_files()}
    assert {name: lines for name, lines in long.items() if lines > 400} == {}


def test_no_left_over_markers() -> None:
    marker = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    assert [path for path in _python_files() if marker.search(path.read_text())] == []


def test_nothing_swallows_every_exception() -> None:
    swallow = re.compile(r"except( Exception| BaseException)?:\s*(#.*)?\n\s*(pass|continue|\.\.\.)")
    assert [path for path in _python_files() if swallow.search(path.read_text())] == []


@pytest.mark.parametrize("name", sorted(path.name for path in ROOT.glob("requirements*.lock")))
def test_lock_files_pin_by_hash_and_name_no_host(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "http://" not in text
    assert "https://" not in text
    assert "--index-url" not in text
    pins = [line for line in text.splitlines() if re.match(r"[a-z0-9]", line)]
    assert pins
    assert all("==" in line for line in pins)
    assert text.count("--hash=sha256:") >= len(pins)


@pytest.mark.slow
def test_processes_start_without_what_only_tests_bring() -> None:
    """pandas, which edgartools needs, would be imported by every one of them (`tests/as_served`)."""
    told = "import sys, firm.commands.ingest; print([name for name in ('pandas', 'edgar') if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", told], cwd=ROOT, text=True).strip() == "[]"
