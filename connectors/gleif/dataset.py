"""The dataset `<cc>.lei` of a market: who the LEIs are that its other tables name.

Belongs here: the declaration, what a file is, reading, asking the API, the shared identifiers. Asked are the LEIs
that a run's other tables name, a hundred at a time; golden copies are read as files. A status is never taken
from here: a lapsed LEI says nothing of its company (FORMAT news 3.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import polars as pl

from connectors.declare import (
    Arrival,
    Batch,
    Cadence,
    Cursor,
    Dataset,
    Guard,
    Licence,
    NotOurs,
    Piece,
    Recognised,
    Scope,
    Unreadable,
)
from connectors.gleif import bodies, records
from connectors.gleif.bodies import NoRecords
from connectors.gleif.numbers import AUTHORITIES, company_number, is_lei, is_personal
from connectors.gleif.records import NUMBER, Row
from connectors.kit import staged
from connectors.kit.staged import Tally
from warehouse.schema.identifiers import company_id, iso_country
from warehouse.schema.tables import IDENTIFIERS

if TYPE_CHECKING:
    from connectors.kit.http import Http

HOST: Final = "api.gleif.org"
RECORDS_URL: Final = f"https://{HOST}/api/v1/lei-records"
LICENCE: Final = Licence("CC0-1.0", "https://www.gleif.org/en/meta/lei-data-terms-of-use", "Source: GLEIF")
EACH: Final = 100  # LEIs of one question; the API answers with 200 at most
_ROWS: Final = 20_000
_COMPANY: Final = "GENERAL"  # other categories repeat somebody else's number
_CATEGORIES: Final = (
    _COMPANY,
    "FUND",
    "BRANCH",
    records.SOLE,
    "RESIDENT_GOVERNMENT_ENTITY",
    "INTERNATIONAL_ORGANIZATION",
)
# Best first: of several LEIs of one company the first counts. Those that were never its own are left out.
_STATUSES: Final = (
    "ISSUED",
    "PENDING_TRANSFER",
    "PENDING_ARCHIVAL",
    "LAPSED",
    "PENDING_VALIDATION",
    "TRANSFERRED",
    "RETIRED",
    "MERGED",
)
_NEVER: Final = ("DUPLICATE", "ANNULLED", "CANCELLED")
_PUBLISHED: Final = re.compile(rb'"publishDate"\s*:\s*"([0-9T:.+Z-]{19,32})"')
_CONTENT: Final = re.compile(rb"ContentDate\s*>\s*([0-9T:.+Z-]{19,32})")
_STAMP: Final = re.compile(r"(?:^|/)(\d{8})-(\d{4})-gleif-")


def lei_dataset(market: str, named_by: Mapping[str, str]) -> Dataset:
    """A market's dataset of LEI records.

    named_by: staged table -> the column of it that holds LEIs to ask for.
    """
    table = records.table(market)
    return Dataset(
        key=f"{market.lower()}.lei",
        title="GLEIF: LEI records",
        licence=LICENCE,
        cadence=Cadence(cron="40 8 * * *", stale_after_hours=24 * 14),
        guard=Guard(max_rejected=0.01),
        host=HOST,
        staged={table.name: table},
        files=("gleif/**", "lei/**", "*gleif*"),
        recognise=recognise,
        split=staged.single,
        read=partial(_read, market),
        fetch=fetch,
        wants=partial(_wanted, dict(named_by)),
        redact=bodies.without_persons,
    )


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Level 1 records of any edition; relationships, exceptions and lists are not read."""
    if bodies.edition(head) is None:
        return NotOurs("no LEI records (level 1): relationships, lists and other answers are not read")
    return Recognised(_published(name, head), Scope.PART)


def _published(name: str, head: bytes) -> datetime | None:
    stamp = _STAMP.search(name)
    if stamp is not None:
        return datetime.strptime("".join(stamp.groups()), "%Y%m%d%H%M").replace(tzinfo=UTC)
    found = _PUBLISHED.search(head) or _CONTENT.search(head)
    try:
        return None if found is None else datetime.fromisoformat(found[1].decode()).astimezone(UTC)
    except ValueError:
        return None


def _read(market: str, piece: Piece) -> Iterator[Batch]:
    table = records.table(market)
    tally = Tally(piece.dataset)
    rejects: list[tuple[object, str, object]] = []
    try:
        with staged.opened(piece) as body:
            found = (row for row in bodies.rows(body) if _is_of(market, row))
            full = True
            while full:
                part = list(islice(found, _ROWS))
                kept = [made for row in part if (made := _staged(market, row, tally, rejects)) is not None]
                yield staged.batch(table, kept, staged.reject_rows(rejects), tally.drain())
                rejects.clear()
                full = len(part) == _ROWS
    except NoRecords as error:
        raise Unreadable(piece.dataset, piece.name, str(error)) from error


def _is_of(market: str, row: Row) -> bool:
    """Under the market's law or in its register; the rest of the world is other markets' business."""
    law = (row["jurisdiction"] or "")[:2] == iso_country(market)
    return (law or row["registered_at"] in AUTHORITIES[market]) and not _is_person(row)


def _is_person(row: Row) -> bool:
    return records.is_person(row) or is_personal(row["registered_at"], row["registered_as"])


def _staged(market: str, row: Row, tally: Tally, rejects: list[tuple[object, str, object]]) -> Row | None:
    lei = row["lei"]
    if not is_lei(lei):
        rejects.append((lei, "no LEI: twenty characters with check digits were due", row["legal_name"] or ""))
        return None
    if row["category"] not in (None, *_CATEGORIES):
        tally.add("unknown_code", f"EntityCategory {row['category']}", lei)
    if row["registration_status"] not in (*_STATUSES, *_NEVER):
        tally.add("unknown_code", f"RegistrationStatus {row['registration_status']}", lei)
    return {**row, NUMBER: _number(market, row, tally)}


def _number(market: str, row: Row, tally: Tally) -> str | None:
    """The number of the company whose LEI it is; null for branches, funds and registrations elsewhere."""
    at_home = (row["jurisdiction"] or "")[:2] == iso_country(market)
    own = row["category"] in (None, _COMPANY) and row["registration_status"] not in _NEVER
    if not at_home or not own or row["registered_at"] not in AUTHORITIES[market]:
        return None
    number = company_number(market, row["registered_at"], row["registered_as"])
    if number is None and row["registered_as"]:
        tally.add("unreadable_value", f"registeredAs under {row['registered_at']}", row["lei"])
    return number


def _wanted(named_by: Mapping[str, str], tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """LEIs that were just named, each once."""
    found: set[str] = set()
    for table, column in named_by.items():
        rows = tables.get(table)
        if rows is not None:
            found.update(rows[column].drop_nulls().unique().to_list())
    yield from sorted(filter(is_lei, found))


def fetch(http: Http, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[Arrival]:
    """The records of some LEIs. Nothing is remembered: whoever is named again is asked for again."""
    del cursor
    asked = filter(is_lei, subjects)
    while chunk := list(islice(asked, EACH)):
        query = urlencode({"filter[lei]": ",".join(chunk), "page[size]": 2 * EACH})
        answer = http.get(f"{RECORDS_URL}?{query}", headers={"Accept": "application/vnd.api+json"})
        yield answer.arrival(f"{chunk[0]}.json", Scope.PART)


def company_ids(market: str, rows: pl.DataFrame) -> pl.Series:
    """The company of each staged row; null where the record is no company of the market."""
    return rows.select((pl.lit(company_id(market, "")) + pl.col(NUMBER)).alias("_company_id")).to_series()


def identifiers(market: str, present: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """The LEI of each company: of several the one in best standing, of these the last that was changed."""
    table = records.table(market)
    if table.name not in present:
        return staged.empty(IDENTIFIERS)
    rank = {status: place for place, status in enumerate(_STATUSES)}
    rows = present[table.name].filter(pl.col("_company_id").is_not_null(), pl.col("_retired_at").is_null())
    standing = pl.col("registration_status").replace_strict(rank, default=len(rank), return_dtype=pl.Int32)
    best = (
        rows.with_columns(standing.alias("_standing"))
        .sort("_standing", "last_update", "lei", descending=[False, True, False], nulls_last=True)
        .unique("_company_id", keep="first", maintain_order=True)
    )
    return best.select(
        pl.col("_company_id").alias("company_id"),
        pl.lit("lei").alias("scheme"),
        pl.col("lei").alias("value"),
        pl.lit(f"{market.lower()}.lei").alias("register"),
        pl.col("_raw").alias("raw"),
        pl.col("_observed_at").alias("observed_at"),
    ).collect()
