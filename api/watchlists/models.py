"""Watchlists as records and as objects of requests and responses (docs/contract/contract.md 4.8b).

Does not belong here: SQL (`api.watchlists.repository`), or how many companies a tier allows (`api.watchlists.service`).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from api.companies.body_fields import RequestedCompany
from api.http.body_validation import request_array_field, unrepeated
from api.schemas import declare, shared
from api.schemas.declare import OMITTED, RequestModel, Requirement, ResponseModel, with_metadata

PREFIX: Final = "wl"
MOST_WATCHLISTS: Final = 100
"""Watchlists of one account."""
MOST_CHANGES: Final = 1_000
"""Companies that one request adds, and that it removes."""
_COUNT: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class WatchlistRecord:
    """A watchlist of an account; `companies`: their number."""

    watchlist_id: str
    account_id: str
    name: str
    companies: int
    created_at: datetime
    updated_at: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class WatchedCompany:
    """A company of a watchlist."""

    company_id: str
    added_at: datetime


_Name = Annotated[
    str,
    with_metadata(
        Field(
            max_length=100,
            pattern=r"^[^\x00]*[^\s\x00][^\x00]*$",
            description="Name, for your own use; several watchlists may have the same.",
        ),
        Requirement(
            "must be a string of at most 100 characters", "must not be empty or blank, nor hold the character U+0000"
        ),
    ),
]


_RequestedCompany = Annotated[RequestedCompany, unrepeated]


def _companies_field(description: str) -> Any:
    field = request_array_field(MOST_CHANGES, description, when_empty="leave it out instead", default=OMITTED)
    return with_metadata(field, AfterValidator(lambda found: found and [*dict.fromkeys(found)]))


class NewWatchlist(RequestModel):
    """A watchlist to create."""

    name: _Name


class WatchlistChanges(RequestModel):
    """The members to change; omitted members keep their value (RFC 7396)."""

    name: _Name = OMITTED


class MembershipChanges(RequestModel):
    """Companies to add to a watchlist, and to remove from it."""

    add: list[_RequestedCompany] = _companies_field("Companies to add, including ones not known yet.")
    remove: list[_RequestedCompany] = _companies_field("Companies to remove.")


class Watchlist(ResponseModel):
    """A watchlist."""

    id: str = declare.natural_id(PREFIX, "The watchlist.")
    name: str = declare.text(100, "Name, for your own use.")
    company_count: int = declare.integer(0, _COUNT, "Number of its companies.")
    created_at: datetime = declare.instant("When it was created.")
    updated_at: datetime = declare.instant("When its name or its companies last changed.")


class WatchlistList(shared.Page[Watchlist]):
    """The account's watchlists."""


class WatchlistCompany(ResponseModel):
    """A company of a watchlist."""

    company_id: shared.CompanyId
    org_number: shared.OrgNumber
    name: str | None = declare.text(1000, "Name as registered; null if the company is not known.")
    added_at: datetime = declare.instant("When it was added.")


class WatchlistCompanyList(shared.Page[WatchlistCompany]):
    """Companies of a watchlist, by id."""


class ChangedMembership(ResponseModel):
    """What a change of companies did."""

    id: str = declare.natural_id(PREFIX, "The watchlist.")
    added: int = declare.integer(0, MOST_CHANGES, "Companies that were not on the list before.")
    removed: int = declare.integer(0, MOST_CHANGES, "Companies that were.")
    company_count: int = declare.integer(0, _COUNT, "Number of its companies now.")


NewWatchlist.read_only = WatchlistChanges.read_only = tuple(Watchlist.model_fields.keys() - {"name"})


def watchlist_json(record: WatchlistRecord) -> dict[str, Any]:
    """Serializes a watchlist."""
    return Watchlist.members(record, id=record.watchlist_id, company_count=record.companies)
