"""Fetches single companies from the API «Värdefulla datamängder» (OAuth2 client credentials).

Keys are the operator's (`FIRM_CREDENTIALS`, for the portal's host); without them no request is made. Only newly
registered companies are requested, since SCB's file lacks them for weeks. Does not belong here: rates and
retries (`connectors.kit.http.client`), or reports, which are fetched weekly (`annual_reports.fetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http import HTTPStatus
from itertools import islice
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import msgspec
import polars as pl

from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.errors import FetchError, RequestRejectedError, SourceUnavailableError, UnexpectedBodyError
from connectors.kit.http.set_aside import PAUSES
from connectors.se.api.outages import response_outages
from connectors.se.bulk.bolagsverket_schema import NUMBER, ORGANISATIONS
from connectors.se.register import GATEWAY, company_number

if TYPE_CHECKING:
    from connectors.kit.http.client import FetchedResponse, HttpClient

TOKEN_URL: Final = "https://portal.api.bolagsverket.se/oauth2/token"  # noqa: S105 - an address, no secret
ORGANISATIONS_URL: Final = f"https://{GATEWAY}/vardefulla-datamangder/v1/organisationer"
SCOPE: Final = "vardefulla-datamangder:read vardefulla-datamangder:ping"
MOST: Final = 3_600  # companies per run; the limit is unpublished, a guide mentions one call per second
_YOUNG: Final = timedelta(days=60)
_EARLY: Final = timedelta(seconds=60)  # a token is renewed this long before it expires
_REFUSED_TOKEN: Final = 401
_ANSWERS: Final = (400, 404, 500)  # concern only this number; the run continues with the next
_PATIENCE: Final = 5  # consecutive errors that indicate a fault of the registry


class _AccessToken(msgspec.Struct):
    access_token: str
    expires_in: int = 3600


def subjects_to_fetch(staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yields companies registered within two months of the newest in the just staged bulk file, newest first."""
    rows = staged.get(ORGANISATIONS.name)
    if rows is None or rows.is_empty():
        return
    last = pl.col("registreringsdatum").max()
    young = rows.filter(pl.col("registreringsdatum") > last - _YOUNG, pl.col("avregistreringsdatum").is_null())
    newest = young.sort("registreringsdatum", NUMBER, descending=[True, False])
    yield from newest[NUMBER].unique(maintain_order=True).head(MOST)


def fetch(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches responses for the given companies, without a cursor: each response is current when requested.

    An outage of a producer, which has status 200, is a failure, and so is a company for which the gateway does not
    answer: both are asked for again at the end. What the other producers state of those that still fail is yielded, and
    the error leaves the companies to the next run. While companies in a row get no answer, the requests pause.
    """
    del cursor
    numbers = list(islice((number for number in subjects if company_number(number)), MOST))
    if not numbers or not http.has_credentials(TOKEN_URL):
        return
    run = _FetchRun(http, _ApiSession(http))
    try:
        yield from run.ask_all(numbers)
        yield from run.ask_all(list(run.aside))
    except FetchError:
        yield from run.partial_files()
        raise
    yield from run.partial_files()
    for error, _ in run.aside.values():
        raise error


@dataclass
class _FetchRun:
    """The requests of one run. aside: companies without a whole answer, why, and what was stated of them."""

    http: HttpClient
    session: _ApiSession
    aside: dict[str, tuple[FetchError, FetchedFile | None]] = field(default_factory=dict)

    def ask_all(self, numbers: Iterable[str]) -> Iterator[FetchedFile]:
        """Whole answers; the others are set aside. Raises FetchError where several in a row have failed."""
        failures = 0
        for number in numbers:
            _, stated = self.aside.get(number, (None, None))
            self.session.ensure_token()
            try:
                answer = self.session.ask(number)
            except SourceUnavailableError as error:
                self.aside[number] = error, stated
                failures = _count_silence(self.http, failures, error)
                continue
            kinds, is_identified = response_outages(answer.read()) if answer.status == HTTPStatus.OK else ([], False)
            if kinds:
                reason = f"an outage of its producers ({', '.join(kinds)}); retried in the next run"
                error = SourceUnavailableError(answer.url, answer.status, reason)
                self.aside[number] = error, _response_file(number, answer) if is_identified else stated
            elif answer.status == HTTPStatus.OK:
                self.aside.pop(number, None)
                yield _response_file(number, answer)
            failures = 0 if answer.status == HTTPStatus.OK and not kinds else failures + 1
            if failures == _PATIENCE:
                raise (
                    self.aside[number][0]
                    if kinds
                    else RequestRejectedError(
                        answer.url, answer.status, f"{_PATIENCE} rejections in a row; retried in the next run"
                    )
                )

    def partial_files(self) -> Iterator[FetchedFile]:
        """What was stated of companies of which a producer was down."""
        yield from (file for _, file in self.aside.values() if file is not None)


def _response_file(number: str, answer: FetchedResponse) -> FetchedFile:
    """A response, current when requested, whatever Last-Modified the gateway sends."""
    answer.body.seek(0)
    return FetchedFile(f"{number}.json", answer.body, Scope.PART, answer.server_time, None, answer.url, answer.status)


def _count_silence(http: HttpClient, failures: int, outage: FetchError) -> int:
    """The failures in a row after one more company without an answer: the next waits, or the run ends."""
    if failures + 1 == _PATIENCE:
        raise outage
    http.pause(ORGANISATIONS_URL, PAUSES[failures])
    return failures + 1


class _ApiSession:
    """Token and requests of one run."""

    def __init__(self, http: HttpClient) -> None:
        self._http = http
        self._renew_at: datetime | None = None
        self._header: dict[str, str] = {}

    def ensure_token(self) -> None:
        """Requests a token if there is none that will last: without one nothing can be requested."""
        if self._renew_at is None:
            self._renew_token()

    def ask(self, number: str) -> FetchedResponse:
        """Requests one number. A 401 renews the token once."""
        answer = self._post_number(number)
        if answer.status == _REFUSED_TOKEN:
            self._renew_token()
            answer = self._post_number(number)
            if answer.status == _REFUSED_TOKEN:
                raise RequestRejectedError(
                    answer.url, answer.status, "a new token is rejected too: check the subscription"
                )
        if self._renew_at is not None and answer.server_time >= self._renew_at:
            self._renew_at = None
        return answer

    def _post_number(self, number: str) -> FetchedResponse:
        body = msgspec.json.encode({"identitetsbeteckning": number})
        return self._http.post(
            ORGANISATIONS_URL,
            body,
            "application/json",
            expect={BodyFormat.JSON},
            headers={"Accept": "application/json", **self._header},
            allow=(_REFUSED_TOKEN, *_ANSWERS),
        )

    def _renew_token(self) -> None:
        form = urlencode({"grant_type": "client_credentials", "scope": SCOPE}).encode()
        try:
            answer = self._http.post(TOKEN_URL, form, "application/x-www-form-urlencoded")
        except FetchError as error:
            if error.status in (400, 401, 403):
                reason = "the keys are rejected: check FIRM_CREDENTIALS for portal.api.bolagsverket.se"
                raise RequestRejectedError(TOKEN_URL, error.status, reason) from None
            raise
        try:
            token = msgspec.json.decode(answer.read(), type=_AccessToken)
        except msgspec.MsgspecError:  # its message would quote the response
            raise UnexpectedBodyError(TOKEN_URL, answer.status, "expected a token") from None
        self._header = {"Authorization": f"Bearer {token.access_token}"}
        self._renew_at = answer.server_time + timedelta(seconds=token.expires_in) - _EARLY
