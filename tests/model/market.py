"""A market of three companies: a register, a feed of it, accounts looked up company by company, owners.

Values are few, so that they repeat: a status that returns has the same date again, a holder the same band. Does not
belong here: how they are delivered (`world`), the formats (`tests.pipelines.invented`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from connectors.contract.dataset import Dataset, GuardLimits, Jurisdiction
from connectors.contract.pieces import Scope
from tests.model.remembered import shared_tables
from tests.pipelines.invented import MARKET, OWNERS, REGISTER, dataset_of, read_owners, read_register

NUMBERS: Final[tuple[str, ...]] = ("1", "2", "3")
STATUSES: Final = ("open", "asleep", "closed")
SERVED_STATUSES: Final = {"open": "active", "asleep": "dormant", "closed": "dissolved"}
BANDS: Final = ((25, 50), (50, 75), (75, 100))
YEARS: Final = (2024, 2025)
REVENUES: Final = (100, 200)
REGISTER_KEY, FEED_KEY, ACCOUNTS_KEY, OWNERS_KEY = "fi.register", "fi.updates", "fi.accounts", "fi.owners"
CHANNELS: Final = (REGISTER_KEY, FEED_KEY, ACCOUNTS_KEY, OWNERS_KEY)

NO_LIMITS: Final = GuardLimits(max_shrink=1.0)

Content = Mapping[str, Any]  # by company, what a file states of it


def _permissive(dataset: Dataset) -> Dataset:
    """Without guards: three companies are half gone at once."""
    return replace(dataset, guard_limits=NO_LIMITS)


SMALL_MARKET: Final[Jurisdiction] = replace(
    MARKET,
    datasets=(
        _permissive(MARKET.dataset(REGISTER_KEY)),
        dataset_of(FEED_KEY, REGISTER, "updates/*", read_register, NO_LIMITS),
        replace(_permissive(MARKET.dataset(ACCOUNTS_KEY)), is_per_company=True),
        dataset_of(OWNERS_KEY, OWNERS, "owners/*", read_owners, NO_LIMITS),
    ),
    to_shared_tables=shared_tables,
    holder_columns={},
)


def company_of(number: str) -> str:
    """The id of a company."""
    return f"firm:FI:{number}"


def may_be_complete(channel: str) -> bool:
    """True for the datasets of which a file may be all there is."""
    return channel in (REGISTER_KEY, OWNERS_KEY)


def body_of(channel: str, content: Content) -> bytes:
    """The file of a channel that states this of these companies."""
    if channel in (REGISTER_KEY, FEED_KEY):
        rows = [f"{number},Yhtiö {number},{status},2020-01-01" for number, status in sorted(content.items())]
        return "\n".join(["number,name,status,date", *rows, "end"]).encode()
    make = _account if channel == ACCOUNTS_KEY else _holding
    return "\n".join(json.dumps(make(number, *stated)) for number, stated in sorted(content.items())).encode()


def _account(number: str, year: int, revenue: int) -> dict[str, object]:
    period = {"start": f"{year}-01-01", "end": f"{year}-12-31"}
    return {"id": f"a{number}-{year}", "number": number, **period, "revenue": revenue}


def _holding(number: str, low: int, high: int) -> dict[str, object]:
    share = {"low": low, "high": high, "since": "2020-05-01"}
    return {"id": f"o{number}", "number": number, "holder": f"Holder {number}", **share}


def scope_of(channel: str, *, is_complete: bool) -> Scope:
    return Scope.FULL if is_complete and may_be_complete(channel) else Scope.PART
