"""What the image runs, in a bare folder: the files that .dockerignore lets in, with the Containerfile's environment."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import httpx
import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE: Final = 120.0
CONTAINERFILE: Final = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")


def copied_files(root: Path) -> list[str]:
    """Files of a folder that .dockerignore lets into an image, as Docker reads it: the last line that matches decides."""
    lines = [line.strip() for line in (root / ".dockerignore").read_text(encoding="utf-8").splitlines()]
    rules = [(not line.startswith("!"), _pattern(line.removeprefix("!"))) for line in lines if line and line[0] != "#"]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in {".venv", ".git", "node_modules"}]
        for name in names:
            path = (Path(folder) / name).relative_to(root).as_posix()
            parents = [path, *map(str, Path(path).parents)][:-1]
            is_left_out = False
            for leaves_out, pattern in rules:
                if any(pattern.fullmatch(parent) for parent in parents):
                    is_left_out = leaves_out
            if not is_left_out:
                found.append(path)
    return sorted(found)


def _pattern(line: str) -> re.Pattern[str]:
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    parts = re.split(r"(\*\*/|\*\*|\*|\[[^]]*\])", line.strip("/"))
    return re.compile("".join(words.get(part) or (part if part.startswith("[") else re.escape(part)) for part in parts))


def image_environment() -> dict[str, str]:
    """ENV of the last stage, as the Containerfile has it."""
    last = CONTAINERFILE.rpartition("\nFROM ")[2]
    block = re.search(r"^ENV (.*?[^\\])$", last, re.MULTILINE | re.DOTALL)
    assert block is not None
    return dict(word.split("=", 1) for word in block[1].replace("\\\n", " ").split())


def _command() -> list[str]:
    return json.loads(re.findall(r"^CMD (\[.*\])$", CONTAINERFILE, re.MULTILINE)[-1])


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tracked tree with everything beside it that must not go into an image."""
    tree = tmp_path_factory.mktemp("tree")
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, tracked.decode().split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    for name in (".env", "api/.env", ".data/secrets.json", ".git/config", ".venv/bin/python", "ui/node_modules/a/b.js",
                 "deploy/machine.env", "api/__pycache__/app.cpython-311.pyc", "firm/.env.local"):  # fmt: skip
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("SECRET")
    return tree


@pytest.fixture(scope="module")
def image(planted: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file system that the image has in its working folder."""
    folder = tmp_path_factory.mktemp("image")
    for name in copied_files(planted):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(planted / name, folder / name)
    return folder


def test_no_secret_and_no_history_goes_in(planted: Path) -> None:
    names = copied_files(planted)
    assert not [name for name in names if (planted / name).read_bytes() == b"SECRET"]
    assert {name.partition("/")[0] for name in names} == {
        "api", "connectors", "dagster.yaml", "deploy", "firm", "name_matching", "pipelines", "pyproject.toml",
        "requirements.in", "requirements.lock", "sandbox", "warehouse",
    }  # fmt: skip
    assert {name for name in names if name.startswith("deploy/")} == {
        "deploy/dagster/celery/dagster.yaml",
        "deploy/dagster/postgresql/dagster.yaml",
    }


def test_last_stage_has_no_build_tools_and_no_root() -> None:
    first, last = CONTAINERFILE.split("\nFROM ")[1:]
    assert " AS built" in first
    assert "pip install" not in last
    assert "apt-get" not in CONTAINERFILE
    assert re.findall(r"^USER (\w+)$", last, re.MULTILINE) == ["1000"]


@pytest.mark.slow
def test_service_starts_from_the_image_and_is_healthy(image: Path, tmp_path: Path) -> None:
    """It listens to the outside, answers its health check, and writes to its volume and nothing else."""
    data, port = tmp_path / "data", _free_port()
    python = Path(sys.executable)
    given = image_environment() | {
        "PATH": f"{python.parent}:/usr/bin:/bin",
        "FIRM_DATA": str(data),
        "FIRM_PORT": str(port),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(image),  # stands for the editable installation
    }
    before = {path: path.stat().st_mtime_ns for path in image.rglob("*")}
    command = [str(python), "-m", "firm", *_command()[1:]]
    with subprocess.Popen(command, cwd=image, env=given, stderr=subprocess.PIPE) as service:
        try:
            _until_answers(
                f"http://127.0.0.2:{port}/healthz", service
            )  # not only under the address of the container itself
            check = [word.replace(":8000", f":{port}") for word in _health_check()]
            assert subprocess.run([str(python), *check[1:]], env=given, check=False).returncode == 0
            assert httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == 503  # no release has been made
        finally:
            service.terminate()
        assert service.wait(30) == 0
    assert {path: path.stat().st_mtime_ns for path in image.rglob("*")} == before
    assert {path.name for path in data.iterdir()} >= {"secrets.json"}


def _health_check() -> list[str]:
    found = re.search(r"^HEALTHCHECK .*\\\n +CMD (\[.*\])$", CONTAINERFILE, re.MULTILINE)
    assert found is not None
    return json.loads(found[1])


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _until_answers(url: str, service: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert service.poll() is None, service.communicate()
        try:
            httpx.get(url)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"{url} did not answer")
