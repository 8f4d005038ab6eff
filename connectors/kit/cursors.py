"""Fetch cursors as text: JSON, and for hundreds of thousands of numbers JSON compressed, in base 85.

An unreadable cursor (of an earlier release, of another feed) counts as none: repeated requests do no harm. Belongs
here: packing and unpacking, sorted numbers as differences. Does not belong here: what a cursor remembers (its
dataset).
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterable
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import msgspec

from connectors.contract.pieces import Cursor

State = TypeVar("State")


def to_json_cursor(state: msgspec.Struct) -> Cursor:
    """A cursor of a state, as JSON."""
    return Cursor(msgspec.json.encode(state).decode())


def from_json_cursor(cursor: Cursor | None, kind: type[State]) -> State | None:
    """The state of `to_json_cursor`; None for a cursor of another format."""
    try:
        return None if cursor is None else msgspec.json.decode(cursor.value, type=kind)
    except msgspec.MsgspecError:
        return None


def pack_cursor(state: object) -> Cursor:
    """A cursor of any JSON value."""
    text = json.dumps(state, separators=(",", ":"), sort_keys=True)
    return Cursor(base64.b85encode(zlib.compress(text.encode(), 6)).decode())


def unpack_cursor(cursor: Cursor | None, parse: Callable[[Any], State]) -> State | None:
    """The parsed state of a cursor of `pack_cursor`; None for an unreadable one."""
    if cursor is None:
        return None
    try:
        return parse(json.loads(zlib.decompress(base64.b85decode(cursor.value))))
    except (ValueError, TypeError, AttributeError, zlib.error):
        return None


def to_differences(numbers: Iterable[int]) -> list[int]:
    """Numbers, sorted, each as its distance from the one before."""
    return [end - start for start, end in pairwise([0, *sorted(numbers)])]


def from_differences(steps: Iterable[int]) -> list[int]:
    """The sorted numbers of `to_differences`."""
    return list(accumulate(steps))
