"""A country that docs/adding-a-country.md writes: one folder, one line, a release, an answer, an event."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("connectors", "sandbox", "name_matching", "pipelines", "warehouse", "api", "firm")
PAGE = (ROOT / "docs" / "adding-a-country.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = "".join(re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
LIST = "connectors/markets.toml"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("curl") is None, reason="the page's commands need curl"),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository's packages with what the page writes."""
    folder = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "dagster.yaml"):
        shutil.copy(ROOT / name, folder)
    for name, text in BLOCKS:
        path = folder / name
        if name == LIST:
            path.write_text(path.read_text().removesuffix("]\n") + text + "]\n")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return folder


def changed_files(tree: Path) -> dict[str, str]:
    """Files of the packages that the copy has and the repository has not, or has differently."""
    return {
        name: path.read_text()
        for package in PACKAGES
        for path in (tree / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
        if not (ROOT / (name := path.relative_to(tree).as_posix())).is_file()
        or (ROOT / name).read_bytes() != path.read_bytes()
    }


def run(tree: Path, *command: str, **environment: str) -> tuple[int, str, str]:
    """Exit code and output; a service that a failed script has left behind ends too."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FIRM_")}
    process = subprocess.Popen(
        command,
        cwd=tree,
        env={**kept, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=200)
        return process.returncode, output, errors
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def test_page_writes_one_folder_and_one_line(tree: Path) -> None:
    changed = changed_files(tree)
    line = changed.pop(LIST)
    assert line.replace('    "xr",\n', "") == (ROOT / LIST).read_text()
    assert changed
    assert all(name.startswith("connectors/xr/") for name in changed)


def test_new_country_is_ingested_served_and_has_its_events(tree: Path, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = tmp_path / "bin" / "firm"  # a program, as installed: the page stops the service by its id
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m firm "$@"\n')
    command.chmod(0o755)
    code, output, errors = run(
        tree,
        "bash",
        "-ec",
        COMMANDS,
        PATH=f"{command.parent}:{os.environ['PATH']}",
        FIRM_DATA=str(tmp_path / "data"),
        FIRM_WORKERS="1",
        PORT=str(port),
    )
    assert code == 0, output + errors
    answers = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    for name, (profile, events) in zip(
        ("Strelsau Trading", "Zenda Castle"), (answers[-4:-2], answers[-2:]), strict=True
    ):
        assert (profile["name"], profile["country"], profile["status"]) == (name, "XR", "dissolved")
        (event,) = events["data"]
        assert event["event_type"] == "status.changed"
        change = event["data"]["change"]
        assert (change["previous_status"], change["current_status"]) == ("active", "dissolved")
        assert change["effective_date"] == "2026-11-03"
    assert set(changed_files(tree)) == {LIST, *(name for name, _ in BLOCKS if name.startswith("connectors/xr/"))}


def test_import_contracts_know_the_new_country(tree: Path) -> None:
    lint = (str(Path(sys.executable).parent / "lint-imports"), "--no-cache", "--contract", "countries")
    assert run(tree, *lint)[0] == 0
    module = tree / "connectors" / "xr" / "mapping.py"
    written = module.read_text()
    module.write_text(f"{written}\nimport connectors.no\n")
    try:
        assert run(tree, *lint)[0] == 1
    finally:
        module.write_text(written)
