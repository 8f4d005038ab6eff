"""Fetches single resources of the REST API: profile, filing history, insolvency (docs/formats/uk.md 5).

A subject is `resource:number`. A company missing from BasicCompanyData is looked up before it counts as dissolved:
a number can disappear by conversion and return by restoration (docs/formats/uk.md 11). The API's hosts share one
limit of 600 requests in five minutes with every other dataset of this limiter. No conditional requests:
docs/formats/uk.md documents none for the API. `HttpClient` holds the key.
Does not belong here: PSC lists (`psc.fetch`), reading (`streaming_api.rows`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec
import polars as pl

from connectors.contract.dataset import AbsenceCheck, HostLimit
from connectors.contract.pieces import Cursor, FetchedFile
from connectors.kit.http.errors import FetchError, RequestRejectedError, UnexpectedBodyError
from connectors.kit.http.set_aside import SetAside
from connectors.uk.basic_company_data.dataset import COMPANIES
from connectors.uk.live_schema import PROFILES
from connectors.uk.profile.live import bulk_instant, has_left_register, reported_at
from connectors.uk.register import API_HOST, API_URL
from connectors.uk.rest_resources import fetch_pages, fetch_resource, get_or_none, single_file

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

_WRONG_KEY: Final = (
    f"the key was rejected: FIRM_CREDENTIALS needs {API_HOST}=KEY: with a key of the REST API, not of streams"
)
LIMIT: Final = HostLimit(API_HOST, 1.9, "companies house api")  # 600 requests are allowed in 300 seconds
MOST: Final = 5_000  # subjects per run: three quarters of an hour
PROFILE: Final = "profile"
FILING_HISTORY: Final = "filing-history"
INSOLVENCY: Final = "insolvency"
_MOST_PAGES: Final = 200
_NO_KEY: Final = (401, 403)


class _KeyRejectedError(Exception):
    """The API does not accept the key: no other request would be answered."""

    def __init__(self, error: FetchError) -> None:
        super().__init__(str(error))
        self.error = error


class _ProfileLinks(msgspec.Struct):
    insolvency: str | None = None


class _LinkedProfile(msgspec.Struct):
    """Profile fields that decide further requests."""

    links: _ProfileLinks | None = None


def subjects_to_fetch(_staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yields no subjects: streams deliver the data of the companies they name."""
    return iter(())


def absences_to_confirm(
    absent: Mapping[str, pl.DataFrame], present: Mapping[str, pl.DataFrame]
) -> Iterator[AbsenceCheck]:
    """Yields deletion checks for companies missing from a complete file, unless a profile already settles it."""
    gone = absent.get(COMPANIES.name)
    if gone is None or gone.is_empty():
        return
    said = present[PROFILES.name].filter(~pl.col("deleted"))
    known = said.select(CompanyNumber="company_number", _told=reported_at(), _is_gone=has_left_register())
    left = (
        gone.join(known, on="CompanyNumber", how="left")
        .filter(~pl.col("_is_gone").fill_null(value=False))
        .filter((pl.col("_told") < bulk_instant(pl.col("_retired_at"))).fill_null(value=True))
    )
    for number in left["CompanyNumber"].sort():
        yield AbsenceCheck(f"{PROFILE}:{number}", COMPANIES.name, (number,))


def fetch(http: HttpClient, _cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches each subject; without an API key no request is made.

    A subject whose request fails does not stop the others: it is requested again at the end of the run and by the next
    one, and the error is raised after everything else was yielded. Of a subject all files are yielded or none, as the
    next run asks again only about subjects that it has no answer of. If the API stops answering for half an hour, or
    the key is rejected, the run ends.
    """
    if not http.has_credentials(API_URL):
        return
    aside: SetAside[str] = SetAside(http, API_URL)
    try:
        for _, files in aside.answers(islice(subjects, MOST), partial(_request_subject, http)):
            yield from files
    except _KeyRejectedError as rejected:
        raise RequestRejectedError(rejected.error.url, rejected.error.status, _WRONG_KEY) from None
    if aside.broken is not None:
        raise aside.broken


def _request_subject(http: HttpClient, subject: str) -> list[FetchedFile]:
    """All files of a subject. Raises FetchError if one of its requests fails, _KeyRejectedError if the key does."""
    try:
        return list(_fetch_subject(http, subject))
    except FetchError as error:
        if error.status in _NO_KEY:
            raise _KeyRejectedError(error) from None
        raise


def _fetch_subject(http: HttpClient, subject: str) -> Iterator[FetchedFile]:
    resource, _, number = subject.partition(":")
    path, name = f"{number}/{resource}", f"checked/{number}-{resource}"
    if resource == FILING_HISTORY:
        yield from fetch_pages(http, path, name, _MOST_PAGES, "expected a filing history")
    elif resource == INSOLVENCY:
        yield from fetch_resource(http, path, f"{name}.json")
    else:
        yield from _fetch_profile(http, number)


def _fetch_profile(http: HttpClient, number: str) -> Iterator[FetchedFile]:
    """Fetches the profile, and the insolvency cases it links."""
    fetched = get_or_none(http, number)
    if fetched is None:
        return
    try:
        found = msgspec.json.decode(fetched.read(), type=_LinkedProfile)
    except msgspec.MsgspecError as error:
        raise UnexpectedBodyError(fetched.url, fetched.status, f"expected a company profile: {error}") from None
    yield single_file(fetched, f"checked/{number}-{PROFILE}.json")
    if found.links is not None and found.links.insolvency is not None:
        yield from _fetch_subject(http, f"{INSOLVENCY}:{number}")
