"""Fetches statements: the lists by day of registration, then each statement that is new in them.

The first run goes month by month from the first month of the service; later runs repeat the last week, to catch
delayed registrations. Does not belong here: rate limits and retries (`connectors.kit.http.client`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.fi.register import STATEMENTS_URL
from connectors.fi.xbrl.schema import DATE, NUMBER
from connectors.kit.cursors import from_json_cursor, to_json_cursor
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.http.last_cursor import with_progress_cursor
from connectors.kit.http.set_aside import SetAside

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

LIST_URL: Final = f"{STATEMENTS_URL}/all_financial_statements"
STATEMENT_URL: Final = f"{STATEMENTS_URL}/financial"
FIRST: Final = date(2023, 7, 1)  # first day the service covers (docs/formats/fi.md 3.1)
AGAIN: Final = timedelta(days=7)
BUDGET: Final = 3_600  # statements of one run, in which the market's other datasets wait
MOST_RUNS: Final = 7  # in which a statement is requested that stays unavailable
_MONTH: Final = timedelta(days=30)
_DAY: Final = timedelta(days=1)
_NONE: Final = (400, 404)  # the statement is missing after all; requested again with the week

_Subject = tuple[str, str, str]  # business id, last day, day registered


class FetchedStatements(msgspec.Struct):
    """Last day of the lists read, and statements of the last week: `id|last day` -> day registered.

    owed: statements that could not be had -> the runs that tried, by `id|last day|day registered`.
    """

    until: date
    asked: dict[str, str] = {}
    owed: dict[str, int] = {}

    def reached(self, until: date) -> None:
        """Records that lists were read up to a day; drops statements older than the repeated week."""
        self.until = until
        kept = (until - AGAIN).isoformat()
        self.asked = {key: day for key, day in self.asked.items() if day >= kept}

    def failed(self, subject: _Subject) -> None:
        """Counts a run that tried a statement in vain; after MOST_RUNS of them it is given up."""
        key = "|".join(subject)
        self.owed[key] = self.owed.get(key, 0) + 1
        if self.owed[key] >= MOST_RUNS:
            del self.owed[key]

    def answered(self, subject: _Subject) -> None:
        """Records a statement that needs no further request."""
        self.asked[_statement_key(subject)] = subject[2]
        self.owed.pop("|".join(subject), None)


def fetch(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches lists and new statements, oldest first; the cursor is attached to the last piece of a window.

    A run fetches at most BUDGET statements and leaves the rest to the next one, which goes on there. A statement whose
    request fails does not stop the others: it is owed, and requested again at the end of later runs; the error is
    raised after everything else was yielded. If the service stops responding, what has arrived is yielded with its
    cursor before the error is raised.
    """
    walked = from_json_cursor(cursor, FetchedStatements) or FetchedStatements(FIRST - _DAY)
    run = _StatementsRun(http, walked)
    start = max(FIRST, walked.until - AGAIN + _DAY)
    while run.today is None or start <= run.today:
        yield from with_progress_cursor(run.window(start, start + _MONTH - _DAY), partial(to_json_cursor, walked))
        if run.is_over:
            break
        start += _MONTH
    if run.aside.broken is not None:
        raise run.aside.broken


def fetch_lists(http: HttpClient, start: date, end: date) -> Iterator[tuple[FetchedFile, list[dict[str, Any]]]]:
    """Yields the pages of one window of days, with the lines of each."""
    seen, page = 0, 1
    while True:
        query = {"registeredDateStart": start, "registeredDateEnd": end, "page": page}
        answer = http.get(f"{LIST_URL}?{urlencode(query)}", expect={BodyFormat.JSON})
        items, total = _parse_page(answer)
        seen += len(items)
        yield answer.to_fetched_file(f"all_financial_statements_{start}_{end}_{page}.json", Scope.PART), items
        if not items or (total is not None and seen >= total):
            return
        page += 1


class _StatementsRun:
    """The requests of one run. today: the day of its first page. is_over: budget spent, or an outage."""

    def __init__(self, http: HttpClient, walked: FetchedStatements) -> None:
        self._http = http
        self._walked = walked
        self._left = BUDGET
        self._owed_before = [_split_key(key) for key in walked.owed]
        self.aside: SetAside[_Subject] = SetAside(http, STATEMENTS_URL)
        self.today: date | None = None

    @property
    def is_over(self) -> bool:
        return self._left == 0 or self.aside.is_outage

    def window(self, start: date, end: date) -> Iterator[FetchedFile]:
        """The pages of one window of days, then the statements they name that were not requested yet."""
        wanted: list[_Subject] = []
        for arrival, items in fetch_lists(self._http, start, end):
            wanted += [_item_subject(item) for item in items]
            self.today = self.today or arrival.observed_at.date()
            yield arrival
        today = self.today or end
        due = [one for one in wanted if self._walked.asked.get(_statement_key(one)) != one[2]]
        owed = self._walked.owed
        yield from self.statements([one for one in due if "|".join(one) not in owed], (today - start).days)
        if not self.is_over:
            self._walked.reached(min(end, today))
        # in the last window, whose pages have a cursor: without a file the runs that tried in vain would not be counted
        if not self.is_over and today <= end:
            yield from self.statements(self._owed_before)

    def statements(self, due: list[_Subject], days_left: int = 0) -> Iterator[FetchedFile]:
        """Statements within the budget; days_left: days of registrations that are not read to the end."""
        failed = len(self.aside.failed)
        for one, answer in self.aside.answers(due, partial(_request, self._http)):
            if answer.status != HTTPStatus.OK:
                self._walked.owed.pop("|".join(one), None)
                continue
            self._walked.answered(one)
            self._left -= 1
            has_more = self._left == 0
            yield replace(
                answer.to_fetched_file(f"{one[0]}_{one[1]}.xml", Scope.PART),
                has_more=has_more,
                remaining=(days_left, "days of registrations") if has_more and days_left > 0 else None,
            )
            if has_more:
                break
        for one in self.aside.failed[failed:]:
            self._walked.failed(one)


def _request(http: HttpClient, subject: _Subject) -> FetchedResponse:
    query = {NUMBER: subject[0], DATE: subject[1]}
    return http.get(f"{STATEMENT_URL}?{urlencode(query)}", expect={BodyFormat.XML, BodyFormat.HTML}, allow=_NONE)


def _split_key(key: str) -> _Subject:
    number, last, registered = key.split("|")
    return number, last, registered


def _statement_key(subject: _Subject) -> str:
    return f"{subject[0]}|{subject[1]}"


def _parse_page(answer: FetchedResponse) -> tuple[list[dict[str, Any]], int | None]:
    """Items and total; a page out of range is an empty list."""
    try:
        body: Any = msgspec.json.decode(answer.read())
        items, total = body["financials"], body.get("totalResults")
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError):
        raise UnexpectedBodyError(answer.url, answer.status, "expected a list of statements") from None
    return [item for item in items if isinstance(item, dict)], total if isinstance(total, int) else None


def _item_subject(item: dict[str, Any]) -> _Subject:
    return str(item.get(NUMBER)), str(item.get(DATE)), str(item.get("registrationDate") or "")
