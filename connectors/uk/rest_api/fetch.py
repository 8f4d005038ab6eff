"""Fetches single resources of the REST API: profile, filing history, insolvency (docs/formats/uk.md 5).

A subject is `resource:number`. A company missing from BasicCompanyData is looked up before it counts as dissolved:
a number can disappear by conversion and return by restoration (docs/formats/uk.md 11). The API's hosts share one
limit of 600 requests in five minutes with every other dataset of this limiter. No conditional requests:
docs/formats/uk.md documents none for the API. `HttpClient` holds the key.
Does not belong here: PSC lists (`psc.fetch`), reading (`streaming_api.rows`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec
import polars as pl

from connectors.contract.dataset import AbsenceCheck, HostLimit
from connectors.contract.pieces import Cursor, FetchedFile
from connectors.kit.http.errors import FetchError, RequestRejectedError, UnexpectedBodyError
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
_PATIENCE: Final = 3  # consecutive failures that indicate an outage of the API


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

    A failed subject is left for the next run and the others continue, until several fail in succession or the key
    is rejected.
    """
    if not http.has_credentials(API_URL):
        return
    failures: list[FetchError] = []
    in_a_row = 0
    for subject in islice(subjects, MOST):
        try:
            yield from _fetch_subject(http, subject)
        except FetchError as error:
            if error.status in _NO_KEY:
                raise RequestRejectedError(error.url, error.status, _WRONG_KEY) from None
            failures.append(error)
            in_a_row += 1
            if in_a_row == _PATIENCE:
                break
        else:
            in_a_row = 0
    if failures:
        raise failures[0]


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
