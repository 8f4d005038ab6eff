"""`python -m tests.mutants [words…]`: breaks the product line by line and shows that a named test notices each.

Works on a copy in a temporary folder. First every named test must be green, and none skipped; then one break at a
time must turn its own test red. Words choose the mutants whose names hold one of them. Exit code 1 where a mutant
survives, a test says nothing, or a declaration no longer fits the code.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.mutants import MUTANTS
from tests.mutants.mutant import Mutant, StaleError, read

ROOT: Final = Path(__file__).resolve().parents[2]
TREES: Final = (
    "api",
    "connectors",
    "firm",
    "name_matching",
    "pipelines",
    "sandbox",
    "sdk",
    "tests",
    "warehouse",
    "examples",
    "docs",
)
FILES: Final = ("pyproject.toml", "dagster.yaml", "README.md", "Makefile", "requirements.in")
LEFT_OUT: Final = shutil.ignore_patterns("__pycache__", "node_modules", ".hypothesis")
SECONDS: Final = 300
PASSED, FAILED = 0, 1  # exit codes of pytest; all others say that no test was run to its end
HUNG: Final = -1
NOTICED: Final = "red"


def main(words: Sequence[str]) -> int:
    """Runs the mutants; the exit code."""
    chosen = [one for one in MUTANTS if not words or any(word in one.name for word in words)]
    if not chosen:
        print(f"no mutant is named {' or '.join(words)}")
        return 1
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder)
        copy_tree(copy)
        if not are_green(copy, chosen):
            return 1
        verdicts = [verdict_on(copy, mutant) for mutant in chosen]
    noticed = verdicts.count(NOTICED)
    print(f"\n{noticed} of {len(chosen)} mutants were noticed by their tests")
    return 0 if noticed == len(chosen) else 1


def copy_tree(copy: Path) -> None:
    """What the tests need of the project; genuine registry files beside it are not there."""
    for name in TREES:
        shutil.copytree(ROOT / name, copy / name, ignore=LEFT_OUT)
    for name in FILES:
        shutil.copy(ROOT / name, copy)


def are_green(copy: Path, mutants: Sequence[Mutant]) -> bool:
    """Whether all named tests pass as the code is, none of them skipped."""
    nodes = sorted({mutant.test for mutant in mutants})
    print(f"{len(mutants)} mutants, {len(nodes)} tests as the code is: ", end="", flush=True)
    code, told = run(copy, nodes)
    is_green = code == PASSED and "skipped" not in told.splitlines()[-1]
    print("green\n" if is_green else f"not green\n{told}", flush=True)
    return is_green


def verdict_on(copy: Path, mutant: Mutant) -> str:
    """What became of one mutant, as a row of the table: red as it must be, or why not."""
    began = time.monotonic()
    try:
        with broken(copy, mutant):
            code, told = run(copy, [mutant.test])
    except StaleError as error:
        code, told = None, str(error)
    verdict = {FAILED: NOTICED, PASSED: "SURVIVED", None: "STALE"}.get(code, "NO VERDICT")
    print(f"{verdict:<11}{time.monotonic() - began:5.1f} s  {mutant.name}  [{mutant.file}]", flush=True)
    if verdict in ("STALE", "NO VERDICT"):
        print(told)
    return verdict


@contextmanager
def broken(copy: Path, mutant: Mutant) -> Iterator[None]:
    """The copy with one line broken, for the length of a block."""
    path = copy / mutant.file
    whole, times = read(copy, mutant), path.stat()
    path.write_text(mutant.applied(whole), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(whole, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def run(copy: Path, nodes: Sequence[str]) -> tuple[int, str]:
    """Exit code and output of pytest on some nodes of the copy. Compiled code of a broken file is not kept."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--tb=line", *nodes]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return HUNG, f"no end within {SECONDS} s"
    return done.returncode, done.stdout + done.stderr


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
