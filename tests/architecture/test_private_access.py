"""Tests go through what a user or a caller has; each one that reaches inside is listed with its reason.

The list is `private_access.tsv`: file, name, reason. Counted as reaching inside: an attribute of another object whose
name begins with an underscore, such a name imported from the product or a library, and one that is patched.
"""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).resolve().parents[1]
LIST: Final = Path(__file__).with_name("private_access.tsv")
HEAD: Final = "file\tname\treason"
OWN: Final = {"self", "cls"}
# What every form of it is written with; parsing the files that have none of this would cost most of the time.
SIGNS: Final = re.compile(
    r"""\._(?<!\bself\._)(?<!\bcls\._)[A-Za-z]  # of another, or a part of a dotted name
    |["']_[A-Za-z]  # patched
    |^[^\S\n]*(?:from|import)[ ].*\b_[A-Za-z]
    |^\s+_\w+(?:[ ]as[ ]\w+)?,$  # a line of an import of many
    """,
    re.MULTILINE | re.VERBOSE,
)
PATCHES: Final = {"setattr", "delattr", "getattr", "patch", "object"}


def listed_accesses() -> dict[tuple[str, str], str]:
    """Reasons by file and name; a row that is there twice or has no reason is an error."""
    head, *lines = LIST.read_text(encoding="utf-8").splitlines()
    assert head == HEAD
    rows = [line.split("\t") for line in lines]
    assert all(len(row) == 3 and all(row) for row in rows), "file, name and reason, parted by tabs"
    assert [row[:2] for row in rows] == sorted([row[:2] for row in rows]), "sorted by file and name"
    found = {(file, name): reason for file, name, reason in rows}
    assert len(found) == len(rows), "a file and name are listed twice"
    return found


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def private_names(tree: ast.AST) -> Iterator[str]:
    """Names by which a module reaches into what is not its own."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=owner)) if owner in OWN:
                continue
            case ast.Attribute(attr=name) if is_private(name):
                yield name
            case ast.ImportFrom(module=module, names=names):
                yield from (part for part in (module or "").split(".") if is_private(part))
                yield from (alias.name for alias in names if is_private(alias.name))
            case ast.Import(names=names):
                yield from (part for alias in names for part in alias.name.split(".") if is_private(part))
            case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called), args=arguments):
                if called in PATCHES:
                    yield from _patched(arguments)
            case _:
                continue


def _patched(arguments: list[ast.expr]) -> Iterator[str]:
    """The last part of a name that is patched as text."""
    for argument in arguments[:2]:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            last = argument.value.rpartition(".")[2]
            if is_private(last):
                yield last


def modules_of_tests() -> Iterator[Path]:
    """Every module of the tests, without walking through what npm installs beside them."""
    for folder, folders, files in os.walk(TESTS):
        folders[:] = [name for name in folders if name != "node_modules"]
        yield from (Path(folder, name) for name in files if name.endswith(".py"))


def test_private_access_of_every_test_is_listed_with_its_reason() -> None:
    found = {
        (path.relative_to(TESTS).as_posix(), name)
        for path in modules_of_tests()
        if SIGNS.search(text := path.read_text(encoding="utf-8"))
        for name in private_names(ast.parse(text))
    }
    known = listed_accesses().keys()
    unlisted = "\n".join("\t".join(row) for row in sorted(found - known))
    stale = "\n".join("\t".join(row) for row in sorted(known - found))
    assert not unlisted, f"reaches inside; go a public way, or list it with a reason:\n{unlisted}"
    assert not stale, f"listed, and no longer there:\n{stale}"


def test_private_access_of_every_form_is_noticed() -> None:
    source = """
import a._b
from c import _d
from e._f import g
h._i
self._own
monkeypatch.setattr("j.k._l", 1)
monkeypatch.setattr(m, "_n", 1)
o.__dict__
from p import (
    _q,
    _r as s,
)
"""
    assert set(private_names(ast.parse(source))) == {"_b", "_d", "_f", "_i", "_l", "_n", "_q", "_r"}
    assert len(SIGNS.findall(source)) == 8
