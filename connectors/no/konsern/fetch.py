"""Fetches groups: each company that states it is in one, once a month, unless another response has listed it.

Belongs here: which companies to request, and the cursor. A response is the whole group, so a group of a hundred
needs one request. A company that no response lists any more is requested: that is how leaving a group is noticed.
Does not belong here: reading a response (`dataset`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec
import polars as pl

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.http.last_cursor import with_last_cursor
from connectors.kit.http.response import FetchedResponse
from connectors.kit.http.set_aside import SetAside
from connectors.no.enheter.schema import ENTITIES, NUMBER
from connectors.no.register import HOST
from connectors.no.regnskap.cursor import FetchedAccounts, last_monthly_slot
from connectors.no.responses import error_status

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

URL: Final = f"https://{HOST}/enhetsregisteret/api/konsernstruktur/"
EACH: Final = 200  # responses after which the cursor is saved
BUDGET: Final = 3_600  # groups of one run: half an hour, in which the market's other datasets wait
_NONE: Final = 404
_NUMBER: Final = re.compile("[0-9]{9}")


def subjects_to_fetch(staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yields numbers of entities that state they are part of a group (docs/formats/no.md 5)."""
    rows = staged.get(ENTITIES.name)
    if rows is None:
        return
    yield from rows.filter(pl.col("erIKonsern")).sort(NUMBER)[NUMBER]


def fetch_groups(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches groups of the companies that no response of this month lists. 404 is valid: in no group.

    A company whose request fails does not stop the others: it is requested again at the end of the run and by the next
    one, and the error is raised after everything else was yielded. A run fetches at most BUDGET groups.
    """
    asked = FetchedAccounts.of(cursor)
    aside: SetAside[str] = SetAside(http, URL)
    yield from with_last_cursor(_fetch_unlisted(http, asked, subjects, aside), asked.cursor)
    if aside.broken is not None:
        raise aside.broken


def _fetch_unlisted(
    http: HttpClient, asked: FetchedAccounts, subjects: Iterable[str], aside: SetAside[str]
) -> Iterator[FetchedFile]:
    today = http.now().date()
    due = (number for number in subjects if not asked.has_accounts(number, last_monthly_slot(number, today)))
    for place, (number, answer) in enumerate(aside.answers(due, partial(_fetch_response, http)), start=1):
        for listed in {number, *_member_numbers(answer)}:
            asked.add(listed, last_monthly_slot(listed, today))
        has_more = place == BUDGET
        yield replace(
            answer.to_fetched_file(f"{number}.json", Scope.PART),
            cursor=asked.cursor() if place % EACH == 0 else None,
            has_more=has_more,
        )
        if has_more:
            return


def _fetch_response(http: HttpClient, number: str) -> FetchedResponse:
    """Requests one company. A 404 with an HTML page is an error: it would mean that every group has ended."""
    answer = http.get(URL + number, expect={BodyFormat.JSON}, headers={"Accept": "application/json"}, allow=(_NONE,))
    body = answer.read()
    if answer.status == _NONE and body.strip() and error_status(body) != _NONE:
        raise UnexpectedBodyError(
            URL + number, _NONE, "a page under status 404, which is not a response of the register"
        )
    return answer


def _member_numbers(answer: FetchedResponse) -> set[str]:
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
