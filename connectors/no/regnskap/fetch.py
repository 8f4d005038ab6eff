"""Fetches annual accounts from data.brreg.no, company by company.

Belongs here: which companies are requested, and what a response's status means. Does not belong here: rate limits,
retries and content checks (`connectors.kit.http.client`), or the cursor (`cursor`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import FetchError, SourceUnavailableError, UnexpectedBodyError
from connectors.kit.http.last_cursor import with_progress_cursor
from connectors.no.enheter.schema import ENTITIES, NUMBER
from connectors.no.oppdateringer.schema import ACCOUNTS_TOLD
from connectors.no.register import ACCOUNTS_URL
from connectors.no.regnskap.cursor import FetchedAccounts, last_monthly_slot

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

YEAR: Final = "sisteInnsendteAarsregnskap"
EACH: Final = 500  # accounts after which the cursor is saved: an interrupted run does not start over
_OK: Final = 200
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

    404: no accounts, recorded. 500: a layout the open API permanently refuses; the body is kept and recorded.
    Text with status 200: not recorded, so the next run requests it again. If the register stops responding, what
    has arrived is yielded with its cursor before the error is raised.
    """
    asked = FetchedAccounts.of(cursor)
    yield from with_progress_cursor(_fetch_unknown(http, asked, subjects), asked.cursor)


def _fetch_unknown(http: HttpClient, asked: FetchedAccounts, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    for number, due in _pending_accounts(asked, subjects, http.now().date()):
        try:
            answer = http.get(
                ACCOUNTS_URL + number,
                expect={BodyFormat.JSON},
                headers={"Accept": "application/json"},
                allow=(_NONE, _REFUSED),
            )
        except FetchError as error:
            if _is_text_response(error):
                continue
            raise
        asked.add(number, due)
        if answer.status != _NONE:
            remembered = asked.cursor() if len(asked) % EACH == 0 else None
            yield replace(answer.to_fetched_file(f"{number}.json", Scope.PART), cursor=remembered)


def _pending_accounts(asked: FetchedAccounts, subjects: Iterable[str], today: date) -> Iterator[tuple[str, str]]:
    """Yields numbers to request with their mark: the year, and the number's current round."""
    for subject in subjects:
        number, _, year = subject.partition(":")
        due = f"{year}@{last_monthly_slot(number, today)}"
        if not asked.has_accounts(number, due):
            yield number, due


def _is_text_response(error: FetchError) -> bool:
    """True for «Too many requests», or an HTML page, with status 200."""
    return error.status == _OK and isinstance(error, SourceUnavailableError | UnexpectedBodyError)
