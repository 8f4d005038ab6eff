"""Mutators that know a structure: JSON, markup, tables of text. What they make still parses, mostly.

Does not belong here: damage that knows no structure (`mutating`), or what is packed (`packs`).
"""

from __future__ import annotations

import copy
import csv
import io
import json
import re
from random import Random
from typing import Any, Final

from tests.fuzz import packs

VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1 << 63, -(1 << 63) - 1, 10**40, 1.5, 1e300, float("nan"), "", " ", "x", "0", "-1", "1e5",
    "9" * 30, "2026-02-30", "9999-12-31", "0001-01-01T00:00:00+14:00", "\x00", "\ud800", "İ", "٣", "é" * 300, [], {}, [[]],
    [None], [{}], {"": None}, ["x", 1], {"x": {"y": []}}, "19121212-1212", "078-05-1120", "9" * 5_000,
)  # fmt: skip
_TAG: Final = re.compile(rb"<(/?)([\w:.-]{1,60})([^<>]{0,2000})>")
_ATTRIBUTE: Final = re.compile(rb'([\w:.-]{1,60})=("[^"<>]{0,2000}"|\'[^\'<>]{0,2000}\')')
_TEXT: Final = re.compile(rb">([^<>]{1,20000})<")
_DEEP: Final = 3_000
_PHRASE: Final = 100  # characters
_LONGEST: Final = 65_536  # bytes of a text
_TEXTS: Final = (
    b"", b"-", b"(1,000)", b"1.000,00", b"9" * 400, b"1e99", b"31 February 2026", b"\xe2\x80\x94", b"&#160;", b"&lt;b&gt;",
    b"12 %", b"100,01 %", b"-5 %", b"nil", b"19121212-1212", b"078-05-1120", b"0001-01-01", b"9999-12-31", b"<b>1</b>",
)  # fmt: skip


def json_value(chance: Random, body: bytes, other: bytes) -> bytes:
    """A member or element changed, dropped, renamed, doubled, put deep, or taken from another body."""
    try:
        whole, strange = json.loads(body), _json(other)
    except (ValueError, RecursionError):
        return _json_line(chance, body, other)
    places = list(_places(whole, 4_000))
    if not places:
        return json.dumps(chance.choice(VALUES)).encode()
    holder, key = chance.choice(places)
    if chance.random() < 0.4:
        _rearranged(chance, holder, key, other)
    else:
        holder[key] = _another(chance, holder[key], other, strange)
    return _written(chance, whole)


def _rearranged(chance: Random, holder: Any, key: Any, other: bytes) -> None:
    """A member or element dropped, renamed, doubled, or put deep."""
    how = chance.randrange(3)
    if how == 0:
        del holder[key]
    elif how == 1 and isinstance(holder, dict):
        holder[chance.choice((str(key).upper(), f"{key}x", "", _line(chance, other)))] = holder.pop(key)
    elif how == 1:
        holder.extend(copy.deepcopy(holder[key]) for _ in range(chance.choice((1, 2, 40))))
    else:
        holder[key] = chance.choice(([holder[key]], {"x": holder[key]}, str(holder[key])))


def _another(chance: Random, value: Any, other: bytes, strange: list[tuple[Any, Any]]) -> Any:
    """An odd value, a text changed as a text of its own, or what another body has."""
    how = chance.randrange(5)
    if how == 0 and strange:
        there, that = chance.choice(strange)
        return copy.deepcopy(there[that])
    if how == 1 and isinstance(value, str):
        inner = packs.changed_inside(chance, value.encode("utf-8", "replace"), other)
        return inner.decode("utf-8", "replace")
    return _line(chance, other) if how == 2 else chance.choice(VALUES)


def _line(chance: Random, other: bytes) -> str:
    """A line of another body that is short: a phrase or name of it."""
    lines = [line for line in other[:65_536].split(b"\n") if len(line) < _PHRASE]
    return chance.choice(lines or [b""]).decode("utf-8", "replace")


def _written(chance: Random, value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5, indent=chance.choice((None, None, None, 1)))
    return text.encode("utf-8", "surrogatepass")


def _json(body: bytes) -> list[tuple[Any, Any]]:
    try:
        return list(_places(json.loads(body), 500))
    except (ValueError, RecursionError):
        return []


def _json_line(chance: Random, body: bytes, other: bytes) -> bytes:
    """One line of NDJSON."""
    lines = body.split(b"\n")
    at = chance.randrange(len(lines))
    try:
        json.loads(lines[at])
    except (ValueError, RecursionError):
        return body
    lines[at] = json_value(chance, lines[at], other).replace(b"\n", b" ")
    return b"\n".join(lines)


def _places(whole: Any, most: int) -> Any:
    """Every holder and key in a value, at most so many."""
    waiting, given = [whole], 0
    while waiting and given < most:
        one = waiting.pop()
        members = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for key, value in list(members):
            yield one, key
            given += 1
            if isinstance(value, dict | list):
                waiting.append(value)


def json_deep(chance: Random, body: bytes, _other: bytes) -> bytes:
    """A value nested thousands deep, in front, behind, or around."""
    opening, closing = chance.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")))
    depth = chance.choice((30, _DEEP, 100_000))
    at = body.find(b":", chance.randrange(len(body) + 1)) + 1
    return (
        body[:at]
        + opening * depth
        + b"1"
        + closing * chance.choice((depth, 0))
        + chance.choice((b",", b""))
        + body[at:]
    )


def tag(chance: Random, body: bytes, other: bytes) -> bytes:
    """A tag dropped, doubled, renamed, left open, or an element of another body put beside it."""
    found = _at(chance, _TAG, body)
    if found is None:
        return body
    close, name, rest = found.groups()
    strange = _at(chance, _TAG, other)
    instead = chance.choice((
        b"", found[0] * 2, b"<" + close + name[::-1] + rest + b">", b"<" + close + name.rpartition(b":")[2] + rest + b">",
        b"<" + name + rest + b"/>", found[0] + (strange[0] if strange else b"<x/>"), b"<" + name + b">" + found[0],
        b"<![CDATA[" + found[0] + b"]]>", b"<!--" + found[0] + b"-->", found[0] + b"<pre>", found[0] + b"</table>",
    ))  # fmt: skip
    return body[: found.start()] + instead + body[found.end() :]


def element(chance: Random, body: bytes, _other: bytes) -> bytes:
    """An element dropped, doubled, moved into itself."""
    found = _at(chance, _TAG, body)
    end = -1 if found is None or found[1] else body.find(b"</" + found[2], found.end())
    if found is None or end < 0:
        return body
    end = body.find(b">", end) + 1
    whole = body[found.start() : end]
    instead = chance.choice((b"", whole * 2, whole * 30, found[0] + whole + b"</" + found[2] + b">"))
    return body[: found.start()] + instead + body[end:]


def element_deep(chance: Random, body: bytes, _other: bytes) -> bytes:
    """An element within itself, thousands deep."""
    found = _at(chance, _TAG, body)
    if found is None or found[1]:
        return body
    depth = chance.choice((100, 300, _DEEP))
    end = b"</" + found[2] + b">"
    return body[: found.start()] + found[0] * depth + end * chance.choice((depth, 0)) + body[found.start() :]


def attribute(chance: Random, body: bytes, _other: bytes) -> bytes:
    found = _at(chance, _ATTRIBUTE, body)
    if found is None:
        return body
    instead = chance.choice((
        b"", found[1] + b'=""', found[1] + b"=" + found[2] + b" " + found[0], found[1][::-1] + b"=" + found[2],
        found[1] + b'="' + chance.choice(_TEXTS[:12]).replace(b"<", b"") + b'"', found[1] + b'="' + b"9" * 30 + b'"',
        found[1] + b'="-1"', found[1] + b'="1000000"', found[1] + b'="x:y:z"',
    ))  # fmt: skip
    return body[: found.start()] + instead + body[found.end() :]


def characters(chance: Random, body: bytes, other: bytes) -> bytes:
    """The text of an element: odd, changed as a text of its own, or another body's."""
    found = _at(chance, _TEXT, body)
    if found is None:
        return body
    strange = _at(chance, _TEXT, other)
    instead = chance.choice((
        strange[1] if strange else _line(chance, other).encode(), chance.choice(_TEXTS), chance.choice(_TEXTS),
        packs.changed_inside(chance, found[1], other)[:_LONGEST],
    ))  # fmt: skip
    return body[: found.start(1)] + instead + body[found.end(1) :]


def entities(chance: Random, body: bytes, _other: bytes) -> bytes:
    """Entities declared, one in terms of the other, or of a file."""
    declared = chance.choice((
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "' + b"&a;" * 10 + b'"><!ENTITY c "' + b"&b;" * 10
        + b'"><!ENTITY d "' + b"&c;" * 10 + b'"><!ENTITY e "' + b"&d;" * 10 + b'"><!ENTITY f "' + b"&e;" * 10 + b'">]>',
        b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/hostname">]>', b'<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">',
        b'<!DOCTYPE x [<!ENTITY f "' + b"f" * 60_000 + b'">]>',
    ))  # fmt: skip
    end = body.find(b"?>") + 2 if body.lstrip().startswith(b"<?xml") else 0
    found = _at(chance, _TEXT, body)
    if found is None:
        return body[:end] + declared + body[end:]
    return (
        body[:end]
        + declared
        + body[end : found.start(1)]
        + b"&f;" * chance.choice((1, 1, 2_000))
        + body[found.end(1) :]
    )


def _at(chance: Random, pattern: re.Pattern[bytes], body: bytes) -> re.Match[bytes] | None:
    begins = chance.randrange(len(body) + 1)
    return pattern.search(body, begins) or pattern.search(body)


def cell(chance: Random, body: bytes, _other: bytes) -> bytes:
    """A cell or column of a table made odd: the separator is the one that the first line has most of."""
    lines = body.split(b"\n")
    sign = max((b",", b";", b"\t", b"|", b"$"), key=lines[0].count)
    at = 0 if chance.random() < 0.2 else chance.randrange(len(lines))
    cells = lines[at].split(sign)
    place = chance.randrange(len(cells))
    how = chance.randrange(6)
    if how == 0:
        del cells[place]
    elif how == 1:
        cells.insert(place, chance.choice(cells))
    elif how == 2:
        cells[place] = b'"' + cells[place] + chance.choice((b'"', b"", b'""', b'\n"', sign))
    elif how == 3:
        cells = cells * chance.choice((2, 30))
    else:
        cells[place] = chance.choice(_TEXTS)
    lines[at] = sign.join(cells)
    return b"\n".join(lines)


def quoted(chance: Random, body: bytes, _other: bytes) -> bytes:
    """The whole table written again by another hand: quoted throughout, or with other separators."""
    text = body[:65_536].decode("utf-8", "replace").replace("\x00", "")
    sign = max(",;\t|", key=text.partition("\n")[0].count)
    into = io.StringIO()
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=sign))
        csv.writer(
            into, delimiter=chance.choice(",;\t|"), quoting=chance.choice((csv.QUOTE_ALL, csv.QUOTE_MINIMAL))
        ).writerows(rows)
    except csv.Error:
        return body
    return into.getvalue().encode()
