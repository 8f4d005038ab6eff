"""Which lines of the connectors a case reaches: what reaches a new one is worth going on from.

Only frames of our own code are followed, and a function that has shown nothing new for long is followed now and then:
the price falls as the lines are known. Does not belong here: what is done with a case (`child`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

_OURS: Final = str(Path(__file__).resolve().parents[2] / "connectors")
_DRY: Final = 60  # calls without a new line after which a function is followed rarely
_RARELY: Final = 32
_LONGEST: Final = 60  # characters of a text in the code that is worth showing to it


class Lines:
    """Lines reached since the beginning, as steps from one line to the next in a function."""

    def __init__(self) -> None:
        self.seen: set[tuple[CodeType, int, int]] = set()
        self.words: list[str] = []  # texts in functions that were reached: names of members, codes, phrases
        self._known: set[str] = set()
        self._dry: dict[CodeType, int] = {}
        self._before: dict[FrameType, int] = {}

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Follows what is run in the block."""
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(None)
            self._before.clear()

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        dry = self._dry.get(code)
        if dry is None:
            dry = 0 if code.co_filename.startswith(_OURS) else -1
            self._dry[code] = dry
            if not dry:
                self._learn(code)
        if dry < 0:
            return None
        self._dry[code] = dry + 1
        if dry > _DRY and dry % _RARELY:
            return None
        return self._stepped

    def _learn(self, code: CodeType) -> None:
        docstring = code.co_consts[:1]
        texts = [one for one in code.co_consts if isinstance(one, str) and 1 < len(one) <= _LONGEST]
        new = [one for one in texts if one not in self._known and one not in docstring]
        self._known.update(new)
        self.words += new

    def _stepped(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            step = (frame.f_code, self._before.get(frame, 0), frame.f_lineno)
            self._before[frame] = frame.f_lineno
            if step not in self.seen:
                self.seen.add(step)
                self._dry[frame.f_code] = 0
        elif event == "return":
            self._before.pop(frame, None)
        return self._stepped
