"""What the product takes from other projects is public, but for the parts in quarantine.

Counted are imports of a private module or name, and private attributes of what a module has not defined itself. Each
module in quarantine says in its docstring why and against which version it was written, and a test beside it fails when
the private part changes. At most `MOST` imports are there in all.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.test_private_access import OWN, is_private

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("api", "connectors", "firm", "name_matching", "pipelines", "sandbox", "warehouse")
QUARANTINE: Final = {"pipelines/dagster_instance/dagster_internals.py": "test_dagster_internals.py"}
MOST: Final = 6
# Public by their documentation, or the only name of a type that is meant in annotations alone.
PUBLIC: Final = {"_asdict", "_exit", "_fields", "_make", "_replace", "_Element", "_ElementTree"}


def defined_names(tree: ast.AST) -> Iterator[str]:
    """Names that a module defines: functions, classes, fields, and attributes of its own objects."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in OWN:
                yield name
            case _:
                continue


def private_parts(source: str) -> list[tuple[int, str]]:
    """Line and text of each import or attribute by which a module reaches into what is not its own."""
    tree = ast.parse(source)
    own = {*defined_names(tree), *PUBLIC}
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=module, names=names):
                parts = [*(module or "").split("."), *(alias.name for alias in names)]
            case ast.Import(names=names):
                parts = [part for alias in names for part in alias.name.split(".")]
            case ast.Attribute(attr=name) if name not in own:
                parts = [name]
            case _:
                continue
        if any(is_private(part) and part not in PUBLIC for part in parts):
            found.append((node.lineno, ast.unparse(node)))
    return found


@pytest.mark.slow
def test_private_parts_of_other_projects_are_in_quarantine_and_few() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): parts
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if (parts := private_parts(path.read_text(encoding="utf-8")))
    }
    assert {module: found[module] for module in found.keys() - QUARANTINE.keys()} == {}
    assert found.keys() == QUARANTINE.keys()
    assert sum(map(len, found.values())) <= MOST


def test_each_module_in_quarantine_says_its_version_and_has_a_contract_test() -> None:
    for module, test in QUARANTINE.items():
        said = ast.get_docstring(ast.parse((ROOT / module).read_text(encoding="utf-8"))) or ""
        assert "as of " in said, module
        assert (ROOT / "tests" / Path(module).with_name(test)).exists(), module


def test_each_way_to_a_private_part_is_counted() -> None:
    source = """
import a._b
from c import _d
from e._f import g
h._i
h._i()._j
self._own
os._exit(1)
class _Mine:
    def _k(self): ...
other._k
from ._l import m
"""
    assert [text for _, text in private_parts(source)] == [
        "import a._b",
        "from c import _d",
        "from e._f import g",
        "from ._l import m",
        "h._i",
        "h._i()._j",
        "h._i",
    ]
