"""Readers that are broken on purpose: the harness must notice each. For its own test alone."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Final

from tests.fuzz.case import Broken, Case, Features, Target


def sound(case: Case) -> Features:
    return frozenset({f"length {len(case.body).bit_length()}"})


def broken(case: Case) -> Features:
    """Breaks in the way that the body names."""
    if b"crash!" in case.body:
        raise KeyError(case.name)
    if b"schema!" in case.body:
        raise Broken("schema", "null in number")
    while b"hang!" in case.body:
        pass
    return frozenset({str(len(bytearray(1 << (40 if b"memory!" in case.body else 4))))})


def deaf(case: Case) -> Features:
    """Waits where no signal of processor time ever comes."""
    if b"wait!" in case.body:
        threading.Event().wait()
    return frozenset()


def deadly(case: Case) -> Features:
    if b"death!" in case.body:
        os.abort()
    return frozenset()


PLANTED: Final[Mapping[str, Target]] = {
    f"planted.{judge.__name__}": Target(f"planted.{judge.__name__}", judge) for judge in (sound, broken, deaf, deadly)
} | {"planted.alike": Target("planted.alike", broken)}
