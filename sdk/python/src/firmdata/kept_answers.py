"""Answers of reads that are kept for confirmation by their ETag: a 304 does not count against the quota."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from firmdata.calls import ApiCall

NOT_MODIFIED = 304
_Name = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class KeptAnswer:
    """The body of an answer and its tag."""

    tag: str
    content: bytes


class KeptAnswers:
    """The latest used answers, `size` at most; 0 keeps none."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[_Name, KeptAnswer] = OrderedDict()
        self._lock = threading.Lock()  # a client may be used by several threads

    def of(self, call: ApiCall[Any]) -> KeptAnswer | None:
        """What an equal read got last."""
        with self._lock:
            if call.method != "GET" or (kept := self._kept.get(_name(call))) is None:
                return None
            self._kept.move_to_end(_name(call))
            return kept

    def keep(self, call: ApiCall[Any], response: httpx.Response) -> None:
        """Keeps the answer of a read, if it has a tag and may be kept."""
        tag = response.headers.get("ETag")
        if call.method != "GET" or not tag or "no-store" in response.headers.get("Cache-Control", ""):
            return
        with self._lock:
            self._kept[_name(call)] = KeptAnswer(tag, response.content)
            self._kept.move_to_end(_name(call))
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)


def asking_headers(call: ApiCall[Any], kept: KeptAnswer | None) -> Mapping[str, str]:
    """The headers of a request: a kept answer is to be confirmed."""
    return call.headers if kept is None else {**call.headers, "If-None-Match": kept.tag}


def _name(call: ApiCall[Any]) -> _Name:
    return call.path, tuple(sorted(call.params.items()))
