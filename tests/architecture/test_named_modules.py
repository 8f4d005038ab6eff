"""Names of modules and files in texts: what a document, README or docstring names in backticks exists.

A name that begins with one of the project's packages is looked up as it stands: `warehouse.release.manifest`,
`connectors/<cc>/market.toml`, `api.app.create_app`. In a package a name may leave out what file and name share: in
`connectors/us`, `feeds.schema` is `connectors.us.feeds.schema`. The first column of a README's table of modules
holds such names alone. Does not belong here: citations of sections (`test_citations`), links (`make docs`).
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("api", "connectors", "firm", "name_matching", "pipelines", "sandbox", "warehouse")
FOLDERS: Final = (*PACKAGES, "benchmarks", "deploy", "docs", "tests", "ui")
COUNTRIES: Final = {path.parent.name for path in ROOT.glob("connectors/*/market.toml")}  # `no.enheter` is a dataset
QUOTED: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
NO_MODULE: Final = re.compile(r"[\w.]+\.(?:duckdb|sqlite|gov\.uk)")  # files and hosts of the same beginning
DOTTED: Final = re.compile(r"[A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|<cc>|\*))+")
PATH: Final = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./<>*-]*")
MODULES: Final = re.compile(r"^\| module \|[^\n]*\n\|[-| ]+\n((?:\|[^\n]*\n?)+)", re.MULTILINE)


@cache
def find_module(name: str) -> Path | None:
    """File or folder of a module by its dotted name; `<cc>` and `*` stand for any one."""
    pattern = name.replace("<cc>", "*").replace(".", "/")
    found = [*ROOT.glob(f"{pattern}.py"), *(path for path in ROOT.glob(pattern) if path.is_dir())]
    return found[0] if found else None


@cache
def words_of(module: Path) -> frozenset[str]:
    """Words in a module's text: what it defines is among them."""
    file = module / "__init__.py" if module.is_dir() else module
    return frozenset(re.findall(r"[A-Za-z_]\w*", file.read_text(encoding="utf-8") if file.is_file() else ""))


def exists(package: str, name: str) -> bool:
    """True if a dotted name is a module of a package (empty: of the project), or followed by words of its text."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        module = find_module(".".join((*filter(None, [package]), *parts[:length])))
        if module is not None:
            return length == len(parts) or set(parts[length:]) <= words_of(module)
    return False


def packages_around(path: Path) -> Iterator[str]:
    """Dotted names of the packages that a file lies in, the innermost first."""
    for folder in path.relative_to(ROOT).parents:
        if folder.parts and folder.parts[0] in PACKAGES:
            yield ".".join(folder.parts)


def faults(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Position and text of every name in backticks that should exist and does not."""
    around = tuple(packages_around(path))
    for found in QUOTED.finditer(text):
        name = found[1].removesuffix("()")
        if PATH.fullmatch(name):
            pattern = name.rstrip("/").replace("<cc>", "*").replace("<package>", "*")
            if not any((*ROOT.glob(pattern), *ROOT.glob(f"{pattern}.py"))):
                yield found.start(), name
        elif DOTTED.fullmatch(name) and not NO_MODULE.fullmatch(name):
            first = name.split(".")[0]
            beside = any((ROOT / package.replace(".", "/") / first).is_dir() for package in around)
            if not (first in PACKAGES or (beside and first not in COUNTRIES)):
                continue
            if not any(exists(package, name) for package in ("", *around)):
                yield found.start(), name


def listed_modules(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Position and name of every module in a README's tables of modules that is not below its package."""
    around = tuple(packages_around(path))
    for table in MODULES.finditer(text):
        for row in table[1].splitlines():
            for name in QUOTED.findall(row.split("|")[1]):
                if not any(exists(package, name) for package in around):
                    yield table.start(), name


def texts() -> Iterator[Path]:
    """Documents, READMEs, and modules of the packages; not the changelog, which names what was."""
    yield from (path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md")
    yield from ROOT.glob("docs/**/*.md")
    for package in PACKAGES:
        yield from (path for suffix in ("md", "py") for path in ROOT.glob(f"{package}/**/*.{suffix}"))


def test_names_of_modules_and_files_in_texts_exist() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, position) + 1}: {name}"
        for path in texts()
        for text in (path.read_text(encoding="utf-8"),)
        for position, name in (*faults(path, text), *listed_modules(path, text))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "name",
    [
        "warehouse.release.publisher",
        "warehouse.release.manifest.read_nothing",
        "connectors.<cc>.no_such_role",
        "connectors/<cc>/market.json",
        "release.publisher",
        "tests/architecture/test_nothing.py",
    ],
)
def test_planted_name_of_nothing_is_noticed(name: str) -> None:
    text = f"Builds releases (`{name}`)."
    assert [what for _, what in faults(ROOT / "warehouse" / "publish" / "build.py", text)] == [name]


@pytest.mark.parametrize(
    "name",
    [
        "warehouse.release.manifest",
        "warehouse.release.manifest.ReleaseManifest",
        "release.manifest",
        "connectors.<cc>.mapping",
        "connectors/<cc>/README.md",
        "api.company-information.service.gov.uk",
        "current.json",
        "other.thing",
    ],
)
def test_name_that_exists_or_is_none_of_ours_passes(name: str) -> None:
    assert list(faults(ROOT / "warehouse" / "publish" / "build.py", f"See `{name}`.")) == []


def test_planted_row_of_a_table_of_modules_is_noticed() -> None:
    table = "| module | holds |\n|---|---|\n| `feeds.schema`, `named` | tables |\n"
    assert [name for _, name in listed_modules(ROOT / "connectors" / "us" / "README.md", table)] == ["named"]
