"""Fetches annual accounts from data.brreg.no, company by company.

Belongs here: which companies are requested, and what a response's status means. Does not belong here: rate limits,
retries and content checks (`connectors.kit.http.client`), or the cursor (`cursor`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.last_cursor import with_last_cursor
from connectors.kit.http.set_aside import SetAside
from connectors.no.enheter.schema import ENTITIES, NUMBER
from connectors.no.oppdateringer.schema import ACCOUNTS_TOLD
from connectors.no.register import ACCOUNTS_URL
from connectors.no.regnskap.cursor import FetchedAccounts, last_monthly_slot

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient
    from connectors.kit.http.response import FetchedResponse

YEAR: Final = "sisteInnsendteAarsregnskap"
EACH: Final = 500  # companies after which the cursor is saved: an interrupted run does not start over
BUDGET: Final = 3_600  # companies of one run: half an hour, in which the market's other datasets wait
_NONE: Final = 404
_REFUSED: Final = 500


def subjects_to_fetch(staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yields `number:year` of entities that state which accounts they filed last, newest year first.

    Entities that the change feed reports come first.
    """
    for name in (ACCOUNTS_TOLD.name, ENTITIES.name):
        if name in staged:
            filed = staged[name].select(NUMBER, YEAR).drop_nulls(YEAR).unique()
            ordered = filed.sort(YEAR, NUMBER, descending=[True, False])
            yield from ordered.select(pl.concat_str(NUMBER, YEAR, separator=":")).to_series()


def fetch_accounts(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches accounts of companies with a latest year not requested yet, and of every filer again once a month.

    The entity register does not report corrections: only a repeated request finds them (docs/formats/no.md 14).
    A run requests at most BUDGET companies and leaves the rest to the next one, which goes on there.

    404: no accounts, recorded; the body is kept where else no file would save that. 500: a layout the open API
    permanently refuses; the body is kept and recorded.
    A company whose request fails does not stop the others: it is requested again at the end of the run and by later
    runs, and the error is raised after everything else was yielded. Text with status 200 is such a failure, too. If the
    register stops responding for half an hour, the run ends; the rest is left to the next.
    """
    asked = FetchedAccounts.of(cursor)
    pending = list(_pending_accounts(asked, subjects, http.now().date()))
    aside: SetAside[tuple[str, str]] = SetAside(http, ACCOUNTS_URL)
    yield from with_last_cursor(_responses(http, asked, pending, aside), asked.cursor)
    if aside.broken is not None:
        raise aside.broken


def _responses(
    http: HttpClient, asked: FetchedAccounts, pending: list[tuple[str, str]], aside: SetAside[tuple[str, str]]
) -> Iterator[FetchedFile]:
    remaining = len(pending)
    has_file, unsaved = False, None
    answers = aside.answers(_failed_last(asked, pending), partial(_request, http))
    for place, ((number, due), answer) in enumerate(answers, start=1):
        asked.add(number, due)
        remaining -= 1
        has_more = place == BUDGET and remaining > 0
        file = replace(
            answer.to_fetched_file(f"{number}.json", Scope.PART),
            cursor=asked.cursor() if place % EACH == 0 else None,
            has_more=has_more,
            remaining=(remaining, "companies") if has_more else None,
        )
        if answer.status != _NONE or place % EACH == 0 or has_more:
            has_file = True
            yield file
        else:
            unsaved = file
        if has_more:
            break
    for number, due in aside.failed:
        asked.failed(number, due)
    if unsaved is not None and not has_file:  # a cursor is saved with a file
        yield unsaved


def _failed_last(asked: FetchedAccounts, pending: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """First the companies that no earlier run failed to fetch."""
    return sorted(pending, key=lambda one: asked.has_failed(one[0]))


def _request(http: HttpClient, company: tuple[str, str]) -> FetchedResponse:
    return http.get(
        ACCOUNTS_URL + company[0],
        expect={BodyFormat.JSON},
        headers={"Accept": "application/json"},
        allow=(_NONE, _REFUSED),
    )


def _pending_accounts(asked: FetchedAccounts, subjects: Iterable[str], today: date) -> Iterator[tuple[str, str]]:
    """Yields numbers to request with their mark, each once: the year, and the number's current round."""
    seen: set[str] = set()
    for subject in subjects:
        number, _, year = subject.partition(":")
        due = f"{year}@{last_monthly_slot(number, today)}"
        if number not in seen and not asked.has_accounts(number, due):
            seen.add(number)
            yield number, due
