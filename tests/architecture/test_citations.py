"""Citations: every `docs/<page>.md <section>` in code and documents names a page and a section that exist.

The reasons of the code are pages of this repository. A citation is a path, and after it numbers of sections, words in
«», or both: `docs/formats/us.md 13, pitfall 19`. A number names a heading, or an item of the numbered list below one (`13.19`); a
word names a heading, a term in bold, the first cell of a row, or what a line says before its colon.
Does not belong here: links between pages (`make docs`).
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
SUFFIXES: Final = (".py", ".md", ".ts", ".tsx", ".tsv", ".toml")
SKIPPED: Final = {"node_modules", "dist", "build", "storybook-static", "__pycache__"}

# Names of documents that were once cited and are not in the repository, and how a citation of each looks. Constants of
# the same name, formats of SQL and names of files in folders of genuine data are none.
GAP: Final = r"[ \t]*\n?[ \t]*(?:#|//|\*)?[ \t]*"
OUTSIDE: Final = re.compile(
    r"(?<![\w\"'.-])(?:"
    rf"FORMAT(?:'s\b|{GAP}(?:(?:us|se|no|fi|uk|dk|news)\b|\d))"
    rf"|CONTRACT(?:,?{GAP}(?:\d\.\d|«))"
    rf"|DESIGN{GAP}(?:decisions?\b|\d)"
    rf"|DELIVERY(?:{GAP}rules?\b|,?{GAP}«)"
    rf"|STYLE{GAP}\d"
    r"|KEYS_AND_LIMITS\b|ETL_PRACTICE\b|ETL practice\b|TOOLS_AND_CHECKS\b|product\.md\b|DESIGN\.md\b|LANGUAGE\.md\b"
    r")"
)
OUTSIDE_WORDS: Final = (
    "FORMAT", "CONTRACT", "DESIGN", "DELIVERY", "STYLE", "KEYS_AND_LIMITS", "ETL", "TOOLS_AND_CHECKS", "product.md", "LANGUAGE.md",
)  # fmt: skip

SECTION: Final = r"\d{1,2}(?:\.\d{1,2})?[a-z]?(?![\w%]|\.\d)"
TITLE: Final = r"«[^»]*»"
ITEM: Final = rf"(?:pitfall|trap|rule|item){GAP}\d+"
REFERENCE: Final = rf"(?:{SECTION}|{TITLE}|{ITEM})"
CITATION: Final = re.compile(
    r"(?<![\w/-])(?:\.\./)*(docs/[\w/-]+\.md)\b"
    rf"((?:,?{GAP}(?={REFERENCE}){REFERENCE}(?:[,;]?{GAP}(?:(?:and|to){GAP})?{REFERENCE})*)?)"
)
REFERENCES: Final = re.compile(rf"{TITLE}|{ITEM}|{SECTION}")

BREAK: Final = re.compile(r"\s+(?:(?:#|//|\*) )?")
NUMBERED: Final = re.compile(r"#+ (\d+(?:\.\d+)?[a-z]?)\b\.?(.*)")
LISTED: Final = re.compile(r"[ \t]*(\d+)\. ")
TERMS: Final = re.compile(r"\*\*([^*\n]+)\*\*|^\| *([^|\n]+?) *\||^#+ ([^\n]+)|^([^:|#\n]{1,80}):", re.MULTILINE)


def sections(page: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Numbers of headings and of the items below them, and the words that a citation in «» may name."""
    numbers: set[str] = set()
    current = ""
    for line in page.splitlines():
        heading = NUMBERED.match(line)
        listed = LISTED.match(line)
        if heading:
            current = heading[1]
            numbers.add(current)
        elif line.startswith("#"):
            current = ""
        elif listed and current:
            numbers.add(f"{current}.{listed[1]}")
    terms = (next(filter(None, found.groups())) for found in TERMS.finditer(page))
    return frozenset(numbers), tuple(re.sub(r"^[\d.]+ ", "", term).strip(" `.").casefold() for term in terms)


def missing(page: str, references: str) -> Iterator[str]:
    """References of one citation that the page does not have."""
    numbers, terms = sections_of(page)
    section = ""
    for reference in REFERENCES.findall(references):
        if reference.startswith("«"):
            words = BREAK.sub(" ", reference.strip("«»")).strip().casefold()
            known = any(term.startswith(words) for term in terms)
        elif reference[0].isdigit():
            section = reference
            known = reference in numbers
        else:
            known = f"{section}.{re.findall(r'[0-9]+', reference)[-1]}" in numbers
        if not known:
            yield reference


@cache
def sections_of(page: str) -> tuple[frozenset[str], tuple[str, ...]]:
    return sections((ROOT / page).read_text(encoding="utf-8"))


def faults(text: str) -> Iterator[tuple[int, str]]:
    """Position and description of every citation in a text that leads nowhere, or out of the repository."""
    if any(word in text for word in OUTSIDE_WORDS):
        for found in OUTSIDE.finditer(text):
            yield found.start(), f"cites a document outside the repository: {' '.join(found[0].split())}"
    if "docs/" not in text:
        return
    for found in CITATION.finditer(text):
        page, references = found.groups()
        if not (ROOT / page).is_file():
            yield found.start(), f"{page} does not exist"
        elif references:
            yield from ((found.start(), f"{page} has no {reference}") for reference in missing(page, references))


def sources() -> Iterator[tuple[Path, str]]:
    """Every text of the project's own packages, tests, benchmarks and documents, but for this one."""
    for folder, inner, names in os.walk(ROOT):
        inner[:] = sorted(name for name in inner if name not in SKIPPED and not name.startswith("."))
        for name in names:
            path = Path(folder, name)
            if name.endswith(SUFFIXES) and path != Path(__file__).resolve():
                yield path, path.read_text(encoding="utf-8")


def test_citations_of_the_project_name_pages_and_sections_that_exist() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, position) + 1}: {fault}"
        for path, text in sources()
        for position, fault in faults(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("(docs/formats/xx.md 7.4)", "docs/formats/xx.md does not exist"),
        ("(docs/formats/us.md 99)", "docs/formats/us.md has no 99"),
        ("# docs/formats/us.md 7.1, 7.9", "docs/formats/us.md has no 7.9"),
        ("# docs/formats/us.md 7.1 and\n    # 7.9", "docs/formats/us.md has no 7.9"),
        ("docs/formats/us.md 13, pitfall 91", "docs/formats/us.md has no pitfall 91"),
        ("docs/formats/us.md\n 13.91", "docs/formats/us.md has no 13.91"),
        ("docs/contract/contract.md «No such heading»", "docs/contract/contract.md has no «No such heading»"),
        ("docs/contract/contract.md 4.3 to 4.99", "docs/contract/contract.md has no 4.99"),
        ("(FORMAT us 7.4)", "cites a document outside the repository: FORMAT us"),
        ("FORMAT\n# us 7.4", "cites a document outside the repository: FORMAT # us"),
        ("(FORMAT 13.2)", "cites a document outside the repository: FORMAT 1"),
        ("the status (CONTRACT «Status»)", "cites a document outside the repository: CONTRACT «"),
        ("CONTRACT 4.8", "cites a document outside the repository: CONTRACT 4.8"),
        ("DESIGN decision 6", "cites a document outside the repository: DESIGN decision"),
        ("DELIVERY rules 4 and 9", "cites a document outside the repository: DELIVERY rules"),
        ("product.md 6.3", "cites a document outside the repository: product.md"),
    ],
)
def test_planted_citation_that_leads_nowhere_is_noticed(text: str, fault: str) -> None:
    assert [what for _, what in faults(text)] == [fault]


@pytest.mark.parametrize(
    "text",
    [
        "(docs/formats/us.md 7.1, 7.2)",
        "# docs/formats/us.md\n    # 7.1",
        "docs/formats/us.md 13, pitfall 19; docs/formats/us.md 4, trap 3",
        "docs/formats/uk.md 7, 13.6",
        "docs/contract/contract.md 4.10, 422",
        "docs/contract/contract.md 4.7, 4.16 «Signing»",
        "docs/contract/contract.md «Status» and docs/contract/delivery.md «SSRF guard»",
        "docs/contract/contract.md 4.0, «Lists»",
        "CONTRACT = ROOT / 'docs'; assert status in CONTRACT",
        "COPY rows TO path (FORMAT parquet)",
        '"X-Service-Delivery": DELIVERY,',
    ],
)
def test_citation_that_leads_somewhere_or_is_none_passes(text: str) -> None:
    assert list(faults(text)) == []
