"""Cases made from cases: bytes and texts damaged, numbers and days made odd, two bodies put together.

Every mutator takes a source of chance, a body and a strange one beside it, and gives a body; it knows nothing of a
dataset. Those that know a structure are in `shapes` and `packs`. Does not belong here: which case is worth going on from (`child`).
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from connectors.kit.formats import BodyFormat, detect_body_format
from tests.fuzz import packs, shapes
from tests.fuzz.case import Case

Mutator = Callable[[Random, bytes, bytes], bytes]

LARGEST: Final = 1 << 20  # bytes of a case; a few mutators that try what is long go up to this
TOKENS: Final = (
    b"", b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\x1e\x1f", b"\x1a", b"\r", b"\r\n", b"\n\n", b"\t", b";", b",",
    b"|", b'"', b'""', b"'", b"\\", b"\\u0000", b"\\ud800", b"%", b"&#0;", b"&#x110000;", b"&amp;", b"&x;", b"<", b"</",
    b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?", b"<!DOCTYPE x>", b"<!ENTITY x 'y'>", b"[", b"]", b"{", b"}", b"[]", b"{}",
    b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"0x", b"-", b"-0", b"+1", b"0.1", b"1,5", b"1 000", b"\xc2\xa0",
    b"\xe2\x80\xaf", b"\xe2\x88\x92", b"\xe2\x80\xa8", b"\xc2\x85", b"\xd9\xa3", b"\xc2\xb2", b"\xe2\x85\xab", b"\xc4\xb0",
    b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"#unreadable\t", b"#withheld\t1", b"9" * 4_400, b"0" * 40,
)  # fmt: skip
# Synthetic: a month that no calendar has, a number that was printed on sample cards, a person of the textbooks.
PERSONS: Final = (
    b"19121212-1212",
    b"191212121212",
    b"1212121212",
    b"078-05-1120",
    b"01815010260",
    b"010150",
    b"kari@example.org",
    b"+47 55 55 01 00",
)
NUMBERS: Final = (
    b"0", b"-1", b"1", b"00", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809", b"1e308", b"1E400",
    b"99999999999999999999999999999999999999999", b"0.0000000000000000000000000001", b"1e-400", b"123456789.123456789",
    b"4294967296", b"100.00005", b"1.", b".5", b"1,000", b"1.000,00",
)  # fmt: skip
DAYS: Final = (
    b"0000-00-00", b"0001-01-01", b"9999-12-31", b"2023-02-29", b"2024-02-30", b"2026-13-01", b"1582-10-10", b"20260230",
    b"31/12/9999", b"00/00/0000", b"10000-01-01", b"-0001-01-01", b"2026-01-01T24:00:00Z", b"9999-12-31T23:59:59-14:00",
    b"0001-01-01T00:00:00+14:00", b"2026-01-01T00:00:00+99:99", b"2026-06-30T23:59:60Z", b"1", b"2026-W01",
)  # fmt: skip
_NUMBER: Final = re.compile(rb"[0-9]+(?:[.,][0-9]+)?")
_DAY: Final = re.compile(
    rb"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?|[0-9]{2}[./][0-9]{2}[./][0-9]{4}|(?:19|20)[0-9]{6}"
)
_WORD: Final = re.compile(rb"[^\s\"'<>,;:\t|{}\[\]=/]+")
_PACKED: Final = (BodyFormat.ZIP, BodyFormat.GZIP)
_SEPARATORS: Final = (b",", b";", b"\t", b"|", b'"', b"'", b"\n", b"\r\n", b"\r", b" ", b".", b"\\")


def changed(chance: Random, case: Case, other: Case) -> Case:
    """Another case: one to four mutations, now and then under another name or packed."""
    body = case.body
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        found = detect_body_format(body[:1024])
        known = BY_FORMAT.get(found, ())
        knowing = 0.9 if found in _PACKED else 0.55  # any damage at all makes a packed body none
        choices: Sequence[Mutator] = known if known and chance.random() < knowing else ANY
        body = chance.choice(choices)(chance, body, other.body)[:LARGEST]
    if chance.random() < 0.02 and detect_body_format(body[:1024]) is not BodyFormat.GZIP:
        body = gzip.compress(body, 1, mtime=0)
    return Case(other.name if chance.random() < 0.02 else case.name, body)


def span(chance: Random, body: bytes, most: int = 64) -> tuple[int, int]:
    """A stretch of a body, mostly short."""
    begins = chance.randrange(len(body) + 1)
    return begins, min(len(body), begins + chance.randrange(1, chance.choice((3, most, 4096)) + 1))


def flip(chance: Random, body: bytes, _other: bytes) -> bytes:
    damaged = bytearray(body)
    for _ in range(chance.choice((1, 1, 2, 8))):
        if damaged:
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def cut(chance: Random, body: bytes, _other: bytes) -> bytes:
    return body[: chance.randrange(len(body) + 1)]


def drop(chance: Random, body: bytes, _other: bytes) -> bytes:
    begins, ends = span(chance, body)
    return body[:begins] + body[ends:]


def double(chance: Random, body: bytes, _other: bytes) -> bytes:
    begins, ends = span(chance, body)
    return body[:ends] + body[begins:ends] * chance.choice((1, 1, 2, 3)) + body[ends:]


def repeat(chance: Random, body: bytes, _other: bytes) -> bytes:
    """A stretch many times: long lines, deep nesting, many members."""
    begins, ends = span(chance, body, 24)
    times = min(chance.choice((100, 2_000, 40_000)), LARGEST // max(1, 2 * (ends - begins)))
    return body[:ends] + body[begins:ends] * times + body[ends:]


def splice(chance: Random, body: bytes, other: bytes) -> bytes:
    begins, ends = span(chance, other, 400)
    at = chance.randrange(len(body) + 1)
    return body[:at] + other[begins:ends] + body[at + chance.choice((0, ends - begins)) :]


def crossed(chance: Random, body: bytes, other: bytes) -> bytes:
    return body[: chance.randrange(len(body) + 1)] + other[chance.randrange(len(other) + 1) :]


def token(chance: Random, body: bytes, _other: bytes) -> bytes:
    at = chance.randrange(len(body) + 1)
    return body[:at] + chance.choice(TOKENS) + body[at + chance.choice((0, 0, 1)) :]


def person(chance: Random, body: bytes, _other: bytes) -> bytes:
    """A person's number where a word or number stood, or beside it."""
    return _put(chance, body, _WORD, (*PERSONS, b" " + chance.choice(PERSONS) + b" "))


def number(chance: Random, body: bytes, _other: bytes) -> bytes:
    return _put(chance, body, _NUMBER, NUMBERS)


def day(chance: Random, body: bytes, _other: bytes) -> bytes:
    return _put(chance, body, _DAY, DAYS)


def word(chance: Random, body: bytes, other: bytes) -> bytes:
    """A word's place taken by a token, or by a word of another body."""
    words = _WORD.findall(other[:65_536])
    return _put(chance, body, _WORD, (chance.choice(TOKENS), chance.choice(words) if words else b"x"))


def separator(chance: Random, body: bytes, _other: bytes) -> bytes:
    """One separator for another, here or everywhere."""
    old, new = chance.sample(_SEPARATORS, 2)
    return body.replace(old, new, chance.choice((1, 2, -1)))[:LARGEST]


def encoding(chance: Random, body: bytes, _other: bytes) -> bytes:
    text = body.decode("utf-8", "replace")
    name = chance.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "cp1252", "utf-32", "utf-7"))
    return text.encode(name, "replace")


def line(chance: Random, body: bytes, other: bytes) -> bytes:
    """A line dropped, doubled, moved, emptied, or taken from elsewhere."""
    lines = body.split(b"\n")
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    how = chance.randrange(5)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(to, lines[at])
    elif how == 2:
        lines[at], lines[to] = lines[to], lines[at]
    elif how == 3:
        lines[at] = b""
    else:
        lines.insert(to, chance.choice(other.split(b"\n")))
    return b"\n".join(lines)


def _put(chance: Random, body: bytes, pattern: re.Pattern[bytes], instead: Sequence[bytes]) -> bytes:
    """What takes the place of one of the matches behind a random place."""
    begins = chance.randrange(len(body) + 1) if chance.random() < 0.8 else 0
    found = pattern.search(body, begins) or pattern.search(body)
    if found is None:
        return body
    return body[: found.start()] + chance.choice(instead) + body[found.end() :]


ANY: Final[tuple[Mutator, ...]] = (
    flip, cut, drop, double, repeat, splice, crossed, token, token, person, number, number, day, day, word, word,
    separator, encoding, line, line,
)  # fmt: skip
_MARKUP: Final = (
    shapes.tag, shapes.tag, shapes.element, shapes.element_deep, shapes.attribute, shapes.characters, shapes.characters,
    shapes.entities,
)  # fmt: skip
BY_FORMAT: Final[Mapping[BodyFormat, tuple[Mutator, ...]]] = {
    BodyFormat.JSON: (*[shapes.json_value] * 4, shapes.json_deep),
    BodyFormat.XML: _MARKUP,
    BodyFormat.HTML: _MARKUP,
    BodyFormat.TEXT: (*[shapes.cell] * 3, shapes.quoted, shapes.tag, shapes.characters),
    BodyFormat.ZIP: (*[packs.member] * 3, packs.header),
    BodyFormat.GZIP: (packs.gzipped,),
}
