"""Single answers of the REST API: profile, filing history, insolvency (FORMAT 5).

A subject is `resource:number`. Who leaves BasicCompanyData is asked about before that counts as dissolved: a
number can leave by conversion, and come back by restoration (FORMAT 11). The API's hosts count requests together:
600 in five minutes, shared with every other dataset of this limiter. The key is `Http`'s business.
Does not belong here: PSC lists (`download`), reading (`live_records`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec
import polars as pl

from connectors.declare import Arrival, Cursor, Scope
from connectors.kit.errors import WrongBody
from connectors.kit.formats import Format
from connectors.uk.companies import COMPANIES
from connectors.uk.download import API
from connectors.uk.live_schema import PROFILES

if TYPE_CHECKING:
    from connectors.kit.http import Fetched, Http

HOST: Final = "api.company-information.service.gov.uk"
RATE: Final = 1.9  # requests a second, where 600 are allowed in 300
LIMITER: Final = "companies house api"
MOST: Final = 5_000  # subjects in one run: three quarters of an hour
PROFILE: Final = "profile"
FILING_HISTORY: Final = "filing-history"
INSOLVENCY: Final = "insolvency"
_PAGE: Final = 100
_MOST_PAGES: Final = 200
_NOT_FOUND: Final = 404
_GONE: Final = ("dissolved", "converted-closed", "closed", "removed")


class _Links(msgspec.Struct):
    insolvency: str | None = None


class _Profile(msgspec.Struct):
    """As much of a profile as knowing what else to ask needs."""

    links: _Links | None = None


class _List(msgspec.Struct):
    """As much of a list as paging needs."""

    items: list[msgspec.Raw] = []


def named(_staged: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """What streams name they tell themselves: nobody is asked about it."""
    return iter(())


def doubted(present: Mapping[str, pl.LazyFrame], complete: Mapping[str, pl.LazyFrame]) -> Iterator[str]:
    """Companies that a complete file lacks and that no profile calls dissolved."""
    if COMPANIES.name not in complete:
        return
    held = present[COMPANIES.name].filter(pl.col("_retired_at").is_null()).select("CompanyNumber")
    gone = present[PROFILES.name].filter(
        pl.col("company_status").is_in(_GONE) | pl.col("date_of_cessation").is_not_null() | pl.col("deleted")
    )
    absent = (
        held.join(complete[COMPANIES.name].select("CompanyNumber"), on="CompanyNumber", how="anti")
        .join(gone.select(CompanyNumber="company_number"), on="CompanyNumber", how="anti")
        .collect()
    )
    yield from (f"{PROFILE}:{number}" for number in absent["CompanyNumber"].sort())


def fetch(http: Http, _cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """Answers about each subject. Where this installation has no key, nobody is asked."""
    if not http.is_known(API):
        return
    for subject in islice(subjects, MOST):
        resource, _, number = subject.partition(":")
        if resource == FILING_HISTORY:
            yield from _pages(http, number)
        elif resource == INSOLVENCY:
            yield from _answer(http, number, INSOLVENCY)
        else:
            yield from _profile(http, number)


def _profile(http: Http, number: str) -> Iterator[Arrival]:
    """The profile, and the insolvency cases that it links."""
    fetched = _asked(http, f"{API}/company/{number}")
    if fetched is None:
        return
    try:
        found = msgspec.json.decode(fetched.read(), type=_Profile)
    except msgspec.MsgspecError as error:
        raise WrongBody(fetched.url, fetched.status, f"a company profile was due: {error}") from None
    yield _single(fetched, number, PROFILE)
    if found.links is not None and found.links.insolvency is not None:
        yield from _answer(http, number, INSOLVENCY)


def _answer(http: Http, number: str, resource: str) -> Iterator[Arrival]:
    fetched = _asked(http, f"{API}/company/{number}/{resource}")
    if fetched is not None:
        yield _single(fetched, number, resource)


def _pages(http: Http, number: str) -> Iterator[Arrival]:
    for start in range(0, _MOST_PAGES * _PAGE, _PAGE):
        page = f"?items_per_page={_PAGE}&start_index={start}"
        fetched = _asked(http, f"{API}/company/{number}/{FILING_HISTORY}{page}")
        if fetched is None:
            return
        try:
            items = len(msgspec.json.decode(fetched.read(), type=_List).items)
        except msgspec.MsgspecError as error:
            raise WrongBody(fetched.url, fetched.status, f"a filing history was due: {error}") from None
        if items:
            yield _single(fetched, number, f"{FILING_HISTORY}-{start}")
        if items < _PAGE:
            return


def _asked(http: Http, url: str) -> Fetched | None:
    """An answer; None where the register knows no such thing."""
    fetched = http.get(url, expect={Format.JSON}, allow=(_NOT_FOUND,))
    return None if fetched.status == _NOT_FOUND else fetched


def _single(fetched: Fetched, number: str, resource: str) -> Arrival:
    """One answer about one company: it moves no cursor."""
    return replace(fetched.arrival(f"checked/{number}-{resource}.json", Scope.PART), cursor=None)
