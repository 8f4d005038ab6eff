"""Splits a stream of JSON records into chunks of whole records, in bounded memory.

An array of a million entities (1.5 GB) is cut where the last record of a block begins: records of one
register begin with the same key, so the position is guessed from the end and accepted only if everything
before it parses. If no guess succeeds, a scan from the last certain position decides.

Does not belong here: types and keys of records (`structs`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, TypeVar

import msgspec

T = TypeVar("T")
Part = bytes | memoryview  # a chunk of text; a memoryview avoids a copy

BLOCK: Final = 8 << 20
LARGEST: Final = 256 << 20  # bytes of one record; a longer one is rejected as malformed
_GUESSES: Final = 8
_BLANK: Final = b" \t\r\n"
_FIRST_KEY: Final = re.compile(rb'\s*\{\s*("(?:[^"\\]|\\.)*")\s*:')
_CLOSING: Final = (b"}", b"]")
_BRACKETS: Final = (b"{", b"[", *_CLOSING)
_DEEPEST: Final = 5_000  # nesting depth: no decoder goes that far
# A string cut off by the block is one token too: a bracket in it is text, not the end of a record.
_WITHIN: Final = rb'[^"\\]*+(?:\\.[^"\\]*+)*+(?:(")|(\\)?\Z)'
_TOKEN: Final = re.compile(rb'"' + _WITHIN + rb"|[{}\[\]]", re.DOTALL)
_REST: Final = re.compile(_WITHIN, re.DOTALL)
_RAWS: Final = msgspec.json.Decoder(list[msgspec.Raw])

MALFORMED: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class NotJsonError(Exception):
    """A text that is not JSON of the expected kind; the message names what was found."""


def is_json(text: bytes) -> bool:
    """True if a text is one JSON value."""
    try:
        msgspec.json.decode(text)
    except MALFORMED:
        return False
    return True


def decode_object(text: bytes) -> dict[str, Any] | None:
    """The one JSON object of a text; None for any other text."""
    try:
        found = msgspec.json.decode(text)
    except MALFORMED:
        return None
    return found if isinstance(found, dict) else None


def split_records(part: Part) -> list[msgspec.Raw]:
    """The records of a chunk as raw JSON, undecoded."""
    return _RAWS.decode(b"[%b]" % part)


def decode_values(part: Part) -> list[Any]:
    """The records of a chunk, decoded, of any shape."""
    return msgspec.json.decode(b"[%b]" % part)


def read_array(stream: BinaryIO, read: Callable[[Part], T], block: int = BLOCK) -> Iterator[T]:
    """Yields what `read` makes of the chunks `record, record, …` of one array, without its brackets.

    Calling `read` is also the test of a guess, so that nothing is parsed twice: for a chunk that is no sequence of
    whole records `read` must raise MALFORMED and keep no state. `split_records` and `decode_values` qualify.
    """
    rest = stream.read(block).lstrip(_BLANK)
    if not rest.startswith(b"["):
        raise NotJsonError(f"expected an array, the text begins {rest[:20]!r}")
    rest, between, scan = rest[1:], False, _BracketScan()
    while more := stream.read(block):
        rest += more
        if between:
            rest, between = _skip_comma(rest)
        cut, found = (0, ()) if between else _cut_whole_records(rest, scan, read)
        if cut:
            yield from found
            (rest, between), scan = _skip_comma(rest[cut:]), _BracketScan()
        elif len(rest) > LARGEST:
            raise NotJsonError(f"a record of more than {LARGEST} bytes")
    body = rest.rstrip(_BLANK)
    if not body.endswith(b"]"):
        raise NotJsonError("the array is cut off: it does not end with ]")
    if last := body[:-1].strip(_BLANK):
        yield read(last)


def read_line_blocks(stream: BinaryIO, block: int = BLOCK) -> Iterator[bytes]:
    """Chunks of whole lines."""
    rest = b""
    while more := stream.read(block):
        end = more.rfind(b"\n") + 1
        if end:
            yield rest + more[:end]
            rest = more[end:]
        else:
            rest += more
            if len(rest) > LARGEST:
                raise NotJsonError(f"a line of more than {LARGEST} bytes")
    if rest.strip():
        yield rest


def _skip_comma(text: bytes) -> tuple[bytes, bool]:
    """The text after the comma between two records, and whether the comma is still to come."""
    text = text.lstrip(_BLANK)
    if text.startswith(b","):
        return text[1:], False
    if text and not text.startswith(b"]"):
        raise NotJsonError(f"expected a comma between two records, not {text[:20]!r}")
    return text, True


def _cut_whole_records(text: bytes, scan: _BracketScan, read: Callable[[Part], T]) -> tuple[int, tuple[T, ...]]:
    """End of the last whole record, and what was read up to there; (0, ()) if there is none yet.

    `text` begins between two records.
    """
    guessed = (0, ()) if scan.has_begun else _guess_cut(text, read)
    if guessed[0]:
        return guessed
    end = scan.on(text)
    return (end, (read(memoryview(text)[:end]),)) if end else (0, ())


def _guess_cut(text: bytes, read: Callable[[Part], T]) -> tuple[int, tuple[T, ...]]:
    first = _FIRST_KEY.match(text)
    if first is not None:
        key, place = first.group(1), len(text)
        for _ in range(_GUESSES):
            place = text.rfind(key, 0, place)
            if place <= first.start(1):
                break
            end = _record_end(text, place)
            if end:
                with suppress(*MALFORMED):
                    return end, (read(memoryview(text)[:end]),)
    return 0, ()


def _record_end(text: bytes, key: int) -> int:
    """End of the record before the one with its first key at `key`, or 0."""
    window = text[max(0, key - 200) : key]
    before = window.rstrip(_BLANK)
    if not before.endswith(b"{"):
        return 0
    before = before[:-1].rstrip(_BLANK)
    if not before.endswith(b","):
        return 0
    before = before[:-1].rstrip(_BLANK)
    return key - len(window) + len(before) if before.endswith(b"}") else 0


@dataclass(slots=True)
class _BracketScan:
    """State of a scan over a growing text: position, nesting depth, end of the last whole record."""

    place: int = 0
    depth: int = 0
    end: int = 0
    is_within: bool = False  # inside a string that the last block cut off

    @property
    def has_begun(self) -> bool:
        return self.place > 0

    def on(self, text: bytes) -> int:
        """Scans to the end of the text; returns the end of the last whole record."""
        if self.is_within:
            self._leave_string(_REST.match(text, self.place))
        for token in () if self.is_within else _TOKEN.finditer(text, self.place):
            if not self.depth and token.group() in _CLOSING:
                return self.end  # the array's own end
            self._pass_token(token)
        if not self.is_within:
            self.place = len(text)  # no bracket and no string begins in the rest
        return self.end

    def _pass_token(self, token: re.Match[bytes]) -> None:
        mark = token.group()
        if mark not in _BRACKETS:
            self._leave_string(token)
            return
        self.place = token.end()
        self.depth += -1 if mark in _CLOSING else 1
        if self.depth > _DEEPEST:
            raise NotJsonError(f"nested deeper than {_DEEPEST:,} levels")
        if not self.depth:
            self.end = self.place

    def _leave_string(self, string: re.Match[bytes] | None) -> None:
        """Moves past a string, or to the end of a partial one; half an escape is scanned again."""
        if string is not None:
            self.is_within = string.group(1) is None
            self.place = string.end() - len(string.group(2) or b"")
