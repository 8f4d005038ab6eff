"""Asking for groups: every company that says it is in one, once a month, unless an answer has listed it.

Belongs here: whom to ask and what was learned. An answer is the whole group, so of a group of a hundred one is
asked. A company that no answer lists any more is asked itself: that is how leaving a group is noticed. Does not
belong here: reading an answer (`konsern`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec
import polars as pl

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.bodies import Fetched
from connectors.kit.errors import FetchError, WrongBody
from connectors.kit.formats import Format
from connectors.no.asked import Asked, latest_round
from connectors.no.bodies import error_status
from connectors.no.enheter_fields import ENTITIES, NUMBER
from connectors.no.register import HOST

if TYPE_CHECKING:
    from connectors.kit.http import Http

URL: Final = f"https://{HOST}/enhetsregisteret/api/konsernstruktur/"
EACH: Final = 200  # answers after which what was asked is remembered
_NONE: Final = 404
_NUMBER: Final = re.compile("[0-9]{9}")


def wanted(staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Numbers of entities that say they are part of a group: others are not asked for (docs/formats/no.md 5)."""
    rows = staged.get(ENTITIES.name)
    if rows is None:
        return
    yield from rows.filter(pl.col("erIKonsern")).sort(NUMBER)[NUMBER]


def groups(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Groups of the companies that no answer of this month lists. 404: in no group, which is an answer too."""
    asked = Asked.of(cursor)
    today = http.now().date()
    held: Arrival | None = None
    broken: FetchError | None = None
    due = (number for number in subjects if not asked.knows(number, latest_round(number, today)))
    for place, number in enumerate(due):
        try:
            answer = _answer(http, number)
        except FetchError as error:
            broken = error
            break
        for listed in {number, *_numbers(answer)}:
            asked.add(listed, latest_round(listed, today))
        if held is not None:
            yield held
        remembered = asked.cursor() if place % EACH == EACH - 1 else None
        held = replace(answer.arrival(f"{number}.json", Scope.PART), cursor=remembered)
    if held is not None:
        yield replace(held, cursor=asked.cursor())
    if broken is not None:
        raise broken


def _answer(http: Http, number: str) -> Fetched:
    """The answer of the register. A page under status 404 is none: it would say that every group has ended."""
    answer = http.get(
        URL + number, expect={Format.JSON}, headers={"Accept": "application/json"}, allow=(_NONE,)
    )
    body = answer.read()
    if answer.status == _NONE and body.strip() and error_status(body) != _NONE:
        raise WrongBody(URL + number, _NONE, "a page under status 404, which is no answer of the register")
    return answer


def _numbers(answer: Fetched) -> set[str]:
    """Every member of an answer. What does not parse lists nobody: reading will refuse it by name."""
    body = b"" if answer.status == _NONE else answer.read()
    try:
        waiting: list[object] = [msgspec.json.decode(body)] if body else []
    except (ValueError, RecursionError):
        return set()
    found: set[str] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            found.add(str(node.get(NUMBER)))
            below = node.get("children")
            waiting += below if isinstance(below, list) else []
    return {number for number in found if _NUMBER.fullmatch(number)}
