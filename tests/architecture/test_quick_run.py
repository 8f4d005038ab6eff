"""The quick run keeps its power: what it leaves out is told by marks, and marks are counted here without running it."""

import ast
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import long_files
from tests.mutants import MUTANTS

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("api", "connectors", "firm", "name_matching", "pipelines", "sandbox", "sdk", "warehouse")
QUICK_SHARE: Final = 0.85  # of the mutants: noticed by a test of the quick run


def has_slow_mark(nodes: list[ast.expr]) -> bool:
    """Whether decorators, or the value of a `pytestmark`, hold the mark."""
    return any(isinstance(inner, ast.Attribute) and inner.attr == "slow" for node in nodes for inner in ast.walk(node))


def is_slow_module(tree: ast.Module) -> bool:
    return any(
        has_slow_mark([node.value])
        for node in tree.body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["pytestmark"]
    )


@cache
def quick_tests(file: Path) -> frozenset[str]:
    """Names of a file's tests that are neither marked slow nor in a module that is; a case's mark makes it slow."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    if is_slow_module(tree):
        return frozenset()
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return frozenset(
        node.name for node in functions if node.name.startswith("test_") and not has_slow_mark(node.decorator_list)
    )


def test_quick_run_notices_most_mutants() -> None:
    left_out = [mutant.name for mutant in MUTANTS if mutant.test_function not in quick_tests(ROOT / mutant.test_file)]
    share = 1 - len(left_out) / len(MUTANTS)
    assert share >= QUICK_SHARE, f"{share:.0%} of the mutants; noticed by slow tests alone: {left_out}"


@pytest.mark.parametrize("package", PACKAGES)
def test_quick_run_holds_tests_of_every_package(package: str) -> None:
    files = (ROOT / "tests" / package).rglob("test_*.py")
    assert sum(len(quick_tests(file)) for file in files) > 20
    assert any(
        mutant.file.startswith(f"{package}/") and mutant.test_function in quick_tests(ROOT / mutant.test_file)
        for mutant in MUTANTS
    )


def test_files_that_start_first_exist_and_are_slow() -> None:
    listed = long_files()
    assert [path.name for path in listed if not path.is_file() or ".slow" not in path.read_text(encoding="utf-8")] == []
    assert list(listed.values()) == sorted(listed.values(), reverse=True)
