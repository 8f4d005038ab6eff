"""Finds erased subjects in free texts, by the salted hashes of their tombstones: names of files, reasons, reports.

A tombstone has no name in clear. So every run of up to a few words of a text is hashed as the tombstone's names were,
whatever the case, accents and separators. A name that is written in another order, or in a single short word, is not
found. Does not belong here: rows and events of a subject (`files`, `event_redaction`), or which texts are stored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from warehouse.erasure.tombstones import Tombstone, hashed_form

MARKER: Final = "erased-"  # in place of a name, with the beginning of its salted hash: two names stay two
_MARKED: Final = 8
_WORD: Final = re.compile(r"[^\W\d_]+")
_BETWEEN: Final = re.compile(r"[\W_]*")  # words of one name: no digit lies between them
_MOST_WORDS: Final = 6
_LONG: Final = 10  # letters of a single word that identifies a subject
_SHORTEST: Final = 5  # letters of several words that do
_MOST_KNOWN: Final = 100_000  # phrases that are remembered


@dataclass(frozen=True, slots=True)
class TextRedactor:
    """Replaces names of the subjects of some tombstones in texts. Its cache makes repeated phrases cheap."""

    tombstones: tuple[Tombstone, ...]
    _known: dict[str, str | None] = field(default_factory=dict[str, str | None], repr=False, compare=False)

    def mentions(self, text: str) -> bool:
        """True if a text names a subject."""
        return bool(self.tombstones) and next(self._found(_plain_text(text)), None) is not None

    def phrases(self, text: str) -> set[str]:
        """The subjects' names as this text spells them."""
        plain = _plain_text(text)
        return {plain[start:end] for start, end, _ in self._found(plain)}

    def redact_text(self, text: str) -> str:
        """The text with each name replaced, always by the same marker; the same text if there is none."""
        if not self.tombstones:
            return text
        plain = _plain_text(text)
        parts: list[str] = []
        last = 0
        for start, end, marker in self._found(plain):
            parts += [plain[last:start], marker]
            last = end
        return "".join((*parts, plain[last:])) if parts else text

    def redact_json(self, value: Any) -> Any:
        """A JSON value with all its texts redacted; cursors stay, as sources give them."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, Mapping):
            return {key: one if key == "cursor" else self.redact_json(one) for key, one in value.items()}
        return [self.redact_json(one) for one in value] if isinstance(value, list | tuple) else value

    def _found(self, plain: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and marker of each name in a text; the longest at each place."""
        words = list(_WORD.finditer(plain))
        place = 0
        while place < len(words):
            size, marker = self._longest_name(plain, words[place : place + _MOST_WORDS])
            if marker is None:
                place += 1
                continue
            yield words[place].start(), words[place + size - 1].end(), marker
            place += size

    def _longest_name(self, plain: str, words: list[re.Match[str]]) -> tuple[int, str | None]:
        """Number of words, from the first, that are a subject's name, and the marker for it."""
        for size in range(_adjacent_words(plain, words), 0, -1):
            phrase = plain[words[0].start() : words[size - 1].end()]
            if len(phrase) >= (_LONG if size == 1 else _SHORTEST) and (marker := self._marker_of(phrase)):
                return size, marker
        return 0, None

    def _marker_of(self, phrase: str) -> str | None:
        folded = hashed_form(phrase.replace("_", " "))
        if folded not in self._known:
            if len(self._known) == _MOST_KNOWN:
                self._known.clear()
            traces = ((stone.trace(folded), stone) for stone in self.tombstones)
            found = next((trace for trace, stone in traces if trace in stone.traces), None)
            self._known[folded] = None if found is None else f"{MARKER}{found[:_MARKED]}"
        return self._known[folded]


def _plain_text(text: str) -> str:
    """A text as its words are compared: composed signs, no percent encoding."""
    return unicodedata.normalize("NFC", unquote(text))


def _adjacent_words(plain: str, words: list[re.Match[str]]) -> int:
    """How many words, from the first, follow each other without a digit in between."""
    for place in range(1, len(words)):
        if not _BETWEEN.fullmatch(plain, words[place - 1].end(), words[place].start()):
            return place
    return len(words)
