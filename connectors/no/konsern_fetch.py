"""Fetches groups: each company that states it is in one, once a month, unless another response has listed it.

Belongs here: which companies to request, and the cursor. A response is the whole group, so a group of a hundred
needs one request. A company that no response lists any more is requested: that is how leaving a group is noticed.
Does not belong here: reading a response (`konsern`).
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
EACH: Final = 200  # responses after which the cursor is saved
_NONE: Final = 404
_NUMBER: Final = re.compile("[0-9]{9}")


def wanted(staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yields numbers of entities that state they are part of a group (docs/formats/no.md 5)."""
    rows = staged.get(ENTITIES.name)
    if rows is None:
        return
    yield from rows.filter(pl.col("erIKonsern")).sort(NUMBER)[NUMBER]


def groups(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Fetches groups of the companies that no response of this month lists. 404 is valid: in no group."""
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
    """Requests one company. A 404 with an HTML page is an error: it would mean that every group has ended."""
    answer = http.get(
        URL + number, expect={Format.JSON}, headers={"Accept": "application/json"}, allow=(_NONE,)
    )
    body = answer.read()
    if answer.status == _NONE and body.strip() and error_status(body) != _NONE:
        raise WrongBody(
            URL + number, _NONE, "a page under status 404, which is not a response of the register"
        )
    return answer


def _numbers(answer: Fetched) -> set[str]:
    """Every member of a response; none if it does not parse (reading reports that later)."""
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
