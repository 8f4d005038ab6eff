"""Tools of npm that tests run: installed once, into the folder whose package-lock.json names them."""

import fcntl
import json
import shutil
import subprocess
from pathlib import Path

import pytest

CLIENT = Path(__file__).parents[1] / "sdk" / "typescript"
NODE = (20, 19)  # the oldest version that all of the tools run on


def commands(folder: Path) -> Path:
    """The folder of the tools' commands (`make test` has installed them; else this does).

    Where there is no npm, or a node too old, the test that asks is skipped.
    """
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("node and npm are not installed")
    if _version() < NODE:
        pytest.skip(f"node is older than {NODE[0]}.{NODE[1]}")
    lock, stamp = folder / "package-lock.json", folder / "node_modules" / ".installed"
    with lock.open() as held:  # several processes of one test run
        fcntl.flock(held, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.stat().st_mtime < lock.stat().st_mtime:
            command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            stamp.touch()
    return folder / "node_modules" / ".bin"


def built_client() -> Path:
    """The folder of the TypeScript client, with dist/ made of its sources as they are."""
    commands(CLIENT)
    made = CLIENT / "dist" / "index.js"
    with (CLIENT / "package.json").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        newest = max(path.stat().st_mtime for path in (CLIENT / "src").rglob("*.ts"))
        if not made.is_file() or made.stat().st_mtime < newest:
            subprocess.run(["npm", "run", "--silent", "build"], cwd=CLIENT, check=True, capture_output=True)
    return CLIENT


def packed(package: Path, into: Path) -> list[Path]:
    """Tarballs of a package and of all that it depends on, as they are installed beside it: no registry is asked."""
    folders, waiting = [package], [package]
    while waiting:
        needed = json.loads((waiting.pop() / "package.json").read_text()).get("dependencies", {})
        found = [package / "node_modules" / name for name in needed]
        waiting += [folder for folder in found if folder not in folders]
        folders += [folder for folder in found if folder not in folders]
    into.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", str(into), *map(str, folders)]
    printed = subprocess.run(command, cwd=into, check=True, capture_output=True, text=True).stdout
    return [into / one["filename"] for one in json.loads(printed)]


def install(tarballs: list[Path], folder: Path) -> None:
    """Installs tarballs, and nothing else, into an empty folder whose programs are ES modules."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    command = ["npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    subprocess.run([*command, *map(str, tarballs)], cwd=folder, check=True, capture_output=True)


def _version() -> tuple[int, ...]:
    told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in told.strip().lstrip("v").split(".")[:2])
