"""The status of a company on the register (docs/formats/uk.md 11, docs/contract/contract.md «Status»).

A company missing from a whole register file is dissolved; liquidation is dormant; a reorganisation or a proposal
to strike off leaves the company active. An active company is dormant if its newest accounts state so. A day of
dissolution beside a term of a company on the register is that of an earlier dissolution: a restored company keeps it.

A status term missing from the code list decides nothing: the company keeps its last known status. Without one it
is active or dormant by its accounts alone, because the file lists only companies on the register; its
`status_source` is null and `registry_status` shows the term.

An insolvency case (docs/formats/uk.md 5) that has begun and not ended counts if it was reported after the
register's status and that status is only active: streams are minutes apart, and the bulk file is a month old. Cases
without an end in the data (receivers: their practitioners just leave) decide nothing. Does not belong here: parsing
responses (`streaming_api.rows`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final

import msgspec
import polars as pl

from connectors.contract.dataset import AbsenceRule
from connectors.uk.accounts.schema import KEY as ACCOUNTS
from connectors.uk.basic_company_data.dataset import DATASET, KEY, parse_day
from connectors.uk.code_lists import code_list_field, load_list, normalised_word
from connectors.uk.live_schema import INSOLVENCY_KEY
from connectors.uk.profile.live import DOOR, TOLD, bulk_instant, reported_at
from connectors.uk.stream_events import parse_iso_day

_DORMANT_SIC: Final = "99999"
_CATEGORY: Final = "Accounts.AccountCategory"
_LONG_AGO: Final = date.min
# A company registered as dormant has filed no accounts: only the register file lists every company's accounts
NO_ACCOUNTS: Final = AbsenceRule(
    name="uk.status.no_accounts_since_registration",
    reads=(DATASET,),
    undecided=pl.col("status_source").is_null() & (pl.col("industry_code") == _DORMANT_SIC),
    needs_full=True,
)
# What each term of the register means by itself, in lower case
REGISTRY_STATUSES: Final = load_list("statuses").columns["status"]


def with_status(rows: pl.DataFrame, today: date, *, reads_accounts: bool) -> pl.DataFrame:
    """Adds status, status_detail, status_source, registry_status and dissolved_date to register rows.

    reads_accounts: whether the absence of accounts from a row says that none were filed (`NO_ACCOUNTS`).
    Also needs the columns known_status (`companies`), _door (the row's dataset), _case (`with_cases`), and dormant
    and balance_date of the newest accounts.
    """
    words = rows.with_columns(
        _now=code_list_field(rows, "CompanyStatus", "statuses", "status"),
        _now_detail=code_list_field(rows, "CompanyStatus", "statuses", "status_detail"),
        _of_case=code_list_field(rows, "_case", "statuses", "status"),
        _case_detail=code_list_field(rows, "_case", "statuses", "status_detail"),
        _before=code_list_field(rows, "known_status", "statuses", "status"),
        _before_detail=code_list_field(rows, "known_status", "statuses", "status_detail"),
        _dormant_category=code_list_field(rows, _CATEGORY, "account_categories", "dormant") == "true",
        _unfiled_category=code_list_field(rows, _CATEGORY, "account_categories", "filed") == "false",
        _made_up=parse_day("Accounts.LastMadeUpDate"),
    )
    return words.with_columns(**_status_inputs(today, reads_accounts)).with_columns(**_status_columns())


def _status_inputs(today: date, reads_accounts: bool) -> dict[str, pl.Expr]:
    newer = pl.col("balance_date") > pl.col("_made_up").fill_null(_LONG_AGO)
    by_document = pl.col("dormant") & (newer | (pl.col("balance_date") == pl.col("_made_up")))
    since_registration = _is_dormant_since_registration()
    by_register = pl.col("_dormant_category").fill_null(value=False) | (since_registration & reads_accounts)
    return {
        "_undecided": since_registration & (not reads_accounts),
        "_known": pl.coalesce("_of_case", "_now", "_before"),
        "_detail": pl.when(pl.col("_of_case").is_not_null())
        .then("_case_detail")
        .when(pl.col("_now").is_null())
        .then("_before_detail")
        .otherwise("_now_detail"),
        "_removed": pl.coalesce(pl.col("_retired_at").dt.date(), _stated_dissolution(today)),
        "_by_document": by_document.fill_null(value=False),
        # Later non-dormant accounts overrule the register's older category.
        "_by_register": by_register & ~(newer & ~pl.col("dormant")).fill_null(value=False),
    }


def _stated_dissolution(today: date) -> pl.Expr:
    """The day of dissolution; null before it comes, and where the term is one of a company on the register."""
    day = parse_day("DissolutionDate")
    has_come = day <= today + timedelta(days=1)  # in London the day may have begun
    return pl.when(has_come & (pl.col("_now").is_null() | (pl.col("_now") == "dissolved"))).then(day)


def _is_dormant_since_registration() -> pl.Expr:
    """True if registered as a dormant company and without accounts that could state otherwise."""
    unfiled = pl.col("_unfiled_category").fill_null(value=False) | pl.col(_CATEGORY).is_null()
    by_code = pl.col("SICCode.SicText_1").str.starts_with(_DORMANT_SIC).fill_null(value=False)
    return by_code & unfiled & pl.col("_made_up").is_null()


def _status_columns() -> dict[str, pl.Expr]:
    removed = pl.col("_removed").is_not_null() | (pl.col("_known") == "dissolved").fill_null(value=False)
    gone = pl.col("_retired_at").is_not_null()  # the register does not state it: this is the company's last row
    dormant = pl.col("_by_document") | pl.col("_by_register")
    awake = pl.coalesce("_known", pl.lit("active"))
    status = pl.when(removed).then(pl.lit("dissolved")).when(dormant).then(pl.lit("dormant")).otherwise(awake)
    detail = pl.coalesce("_detail", pl.when(dormant).then(pl.lit("no_trading")))
    decided_by_document = (pl.col("_known") == "active") & pl.col("_by_document") & ~pl.col("_by_register")
    return {
        "status": status,
        "status_detail": pl.when(~removed).then(detail),
        "status_source": pl.when(removed)
        .then(pl.col("_door"))
        .when(pl.col("_of_case").is_not_null())
        .then(pl.lit(INSOLVENCY_KEY))
        .when(decided_by_document)
        .then(pl.lit(ACCOUNTS))
        .when(pl.col("_undecided") & ~dormant & (awake == "active"))
        .then(pl.lit(None, pl.String))
        .when(pl.col("_known").is_not_null())
        .then(pl.col("_door")),
        "registry_status": pl.when(~gone).then(pl.col("CompanyStatus")),
        "dissolved_date": pl.col("_removed"),
    }


CASE: Final = "_case"  # register status term implied by a case
CASE_AT: Final = "_case_at"
BEGINS, ENDS, DUE = "begins", "ends", "due"  # effects of a case's dates; what was due ended it
_PLAIN: Final = ("active", "active - proposal to strike off")


class _StoredCase(msgspec.Struct):
    type: str | None = None
    dates: dict[str, str | None] = {}


_CASES: Final = msgspec.json.Decoder(list[_StoredCase])


def with_cases(rows: pl.DataFrame, cases: pl.DataFrame, today: date) -> pl.DataFrame:
    """Adds `_case` and `_case_at` to register rows; null where no open case decides."""
    known = cases.filter(~pl.col("deleted"))
    kind = rows.schema["_observed_at"]
    if known.is_empty():  # nearly always; avoids joining millions of rows with nothing
        return rows.with_columns(pl.lit(None, pl.String).alias(CASE), pl.lit(None, kind).alias(CASE_AT))
    told = known.select("cases", pl.col("_observed_at").dt.date()).iter_rows()
    words = pl.Series([_gravest_status_word(cases, on, today) for cases, on in told], dtype=pl.String)
    found = known.select(
        CompanyNumber="company_number", _said=words, _said_at=reported_at(), _came_at="_observed_at"
    ).drop_nulls("_said")
    instant = pl.when(pl.col(DOOR) == KEY).then(bulk_instant(pl.col("_observed_at"))).otherwise(TOLD)
    counts = (pl.col("_said_at") > instant) & normalised_word("CompanyStatus").is_in(_PLAIN)
    counts = counts.fill_null(value=False)
    return (
        rows.join(found, on="CompanyNumber", how="left", maintain_order="left")
        .with_columns(pl.when(counts).then("_said").alias(CASE), pl.when(counts).then("_came_at").alias(CASE_AT))
        .drop("_said", "_said_at", "_came_at")
    )


def _gravest_status_word(cases: str, observed_on: date, today: date) -> str | None:
    """Status term of the most serious case open today: winding up ranks above a rescue."""
    listed = load_list("insolvency_cases")
    words = {
        word
        for case in _CASES.decode(cases)
        if _is_open(case.dates, observed_on, today)
        and (word := listed.get((case.type or "").lower(), "effect")) is not None
    }
    return "Liquidation" if "Liquidation" in words else min(words, default=None)


def _is_open(dates: Mapping[str, str | None], observed_on: date, today: date) -> bool:
    """True if a case has begun and not ended by today.

    Without a readable day it has ended, but not begun, nor has come what is due. A dissolution that was due when the
    case was reported ends it; of one that was still to come the register tells whether it came.
    """
    effects = load_list("insolvency_dates").columns["effect"]
    days = [(effects.get(kind), parse_iso_day(text)) for kind, text in dates.items()]
    has_begun = any(effect == BEGINS and day is not None and day <= today for effect, day in days)
    has_ended = any(effect == ENDS and (day is None or day <= today) for effect, day in days)
    was_due = any(effect == DUE and day is not None and day <= observed_on for effect, day in days)
    return has_begun and not has_ended and not was_due
