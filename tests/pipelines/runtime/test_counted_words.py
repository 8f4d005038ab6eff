"""Words of counts agree with them, and no message counts with words that are always plural."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.runtime.counted_words import counted

ROOT = Path(__file__).resolve().parents[3]
COUNT = re.compile(r"(^|[^a-z_])(count|len\(\w+\)|rows|companies|events)$")
PLURAL = re.compile(r" (?!bytes\b)[a-z-]+s\b(?! than)")


@pytest.mark.parametrize(
    ("count", "words", "text"),
    [
        (0, ("row",), "0 rows"),
        (1, ("row",), "1 row"),
        (1200, ("row",), "1,200 rows"),
        (1, ("company", "companies"), "1 company"),
        (2, ("company", "companies"), "2 companies"),
        (1, ("rule reads", "rules read"), "1 rule reads"),
    ],
)
def test_words_agree_with_their_count(count: int, words: tuple[str, ...], text: str) -> None:
    assert counted(count, *words) == text


def plural_messages(source: str) -> Iterator[str]:
    """Formatted texts that put a count before a word in the plural."""
    for found in ast.walk(ast.parse(source)):
        if not isinstance(found, ast.JoinedStr):
            continue
        parts = [ast.Constant(""), *found.values]
        for before, value, following in zip(parts, parts[1:], parts[2:], strict=False):
            is_share = isinstance(before, ast.Constant) and str(before.value).endswith(" of ")  # «3 of 8 events»
            if (
                not is_share
                and isinstance(value, ast.FormattedValue)
                and isinstance(following, ast.Constant)
                and COUNT.search(ast.unparse(value.value))
                and PLURAL.match(str(following.value))
            ):
                yield ast.unparse(found)


ALLOWED = {"firm/commands/release.py": 1}
"""Progress of a table while it is written."""


def test_no_message_counts_in_the_plural_alone() -> None:
    paths = [path for folder in ("firm", "pipelines") for path in (ROOT / folder).rglob("*.py")]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text() for path in paths}
    found = {name: list(plural_messages(text)) for name, text in texts.items()}
    assert {name: said for name, said in found.items() if len(said) > ALLOWED.get(name, 0)} == {}
    assert list(plural_messages('f"{count} rows"')) == ["f'{count} rows'"]
