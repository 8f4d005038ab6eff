"""The dataset `<cc>.lei` of a market: LEI records of the LEIs that its other tables name.

Belongs here: the declaration, recognition of files, reading, API requests, the shared identifiers. The LEIs
named by a run's other tables are requested, a hundred at a time; golden copies are read as files. No company
status is taken from here: a lapsed LEI is no evidence about its company (docs/formats/news.md 3.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec
import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, HostLimit, Licence
from connectors.contract.pieces import ArchiveMember, Batch, Cursor, FetchedFile, NotApplicable, RecognisedFile, Scope
from connectors.gleif.level1 import parse, schema
from connectors.gleif.level1.parse import NotLeiRecordsError
from connectors.gleif.level1.parse_csv import LAYOUT
from connectors.gleif.level1.registration_numbers import (
    AUTHORITIES,
    are_leis,
    are_personal_numbers,
    company_numbers,
    is_lei,
)
from connectors.gleif.level1.schema import NUMBER
from connectors.gleif.single_file_zip import NotSingleFileError, unpacked_member
from connectors.gleif.sound_rows import LatestRecords, changed_at, count_unknown_codes, latest_records, split_sound
from connectors.kit import staging
from connectors.kit.csv import reader
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.json.body import member_at
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.staging import SignalCounter
from warehouse.schema.identifiers import iso_country
from warehouse.schema.tables import IDENTIFIERS

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient
    from connectors.kit.http.response import FetchedResponse

HOST: Final = "api.gleif.org"
RECORDS_URL: Final = f"https://{HOST}/api/v1/lei-records"
LICENCE: Final = Licence("CC0-1.0", "https://www.gleif.org/en/meta/lei-data-terms-of-use", "Source: GLEIF")
LIMIT: Final = HostLimit(HOST, 1.0)  # the API allows 60 requests per minute (docs/formats/news.md 3.1)
EACH: Final = 100  # LEIs per request; the API returns at most 200 records
BLOCK_ROWS: Final = 20_000
_COMPANY: Final = "GENERAL"  # other categories repeat another company's number
_CATEGORIES: Final = (
    _COMPANY,
    "FUND",
    "BRANCH",
    schema.SOLE,
    "RESIDENT_GOVERNMENT_ENTITY",
    "INTERNATIONAL_ORGANIZATION",
)
# Best first: of several LEIs of one company the first counts. A DUPLICATE is a second LEI of the same company: who is
# named by it is that company, but it is not served as its LEI. _NEVER lists those that were never anyone's.
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
_DUPLICATE: Final = "DUPLICATE"
_NEVER: Final = ("ANNULLED", "CANCELLED")
_PUBLISHED: Final = re.compile(rb'"publishDate"\s*:\s*"([0-9T:.+Z-]{19,32})"')
_CONTENT: Final = re.compile(rb"ContentDate\s*>\s*([0-9T:.+Z-]{19,32})")
_LEVEL: Final = re.compile(r"lei2")
_NO_LEI: Final = "no LEI: expected twenty characters with check digits"
_SCHEMA: Final = pl.Schema({column.name: pl.String() for column in schema.COLUMNS})
_STAMP: Final = re.compile(r"(?:^|/)(\d{8})-(\d{4})-gleif-")


def lei_dataset(market: str, lei_columns: Mapping[str, str]) -> Dataset:
    """Declares a market's dataset of LEI records.

    lei_columns: staged table -> its column with LEIs to request.
    """
    table = schema.lei_table(market)
    return Dataset(
        key=f"{market.lower()}.lei",
        title="GLEIF: LEI records",
        licence=LICENCE,
        cadence=Cadence(cron="40 8 * * *", stale_after_hours=24 * 14),
        guard_limits=GuardLimits(max_rejected=0.01),
        host=HOST,
        staged_tables={table.name: table},
        file_patterns=("gleif/**", "gleif_api/**", "gleif_golden_copy/**", "lei/**", "*gleif*"),
        recognise_file=recognise_file,
        read_batches=partial(_read, market),
        fetch=fetch,
        subjects_to_fetch=partial(_subjects_to_fetch, lei_columns),
        redact=parse.redact_persons,
    )


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises level 1 records of any format, plain or in a zip named accordingly."""
    packed = detect_body_format(head) is BodyFormat.ZIP and _LEVEL.search(name) is not None
    if not packed and parse.detect_format(head) is None:
        return NotApplicable("no LEI records (level 1): relationships, lists and other answers are not read here")
    return RecognisedFile(publication_time(name, head), Scope.PART)


def publication_time(name: str, head: bytes) -> datetime | None:
    """Publication time of a body: from the stamp in its name, else from its first bytes."""
    stamp = _STAMP.search(name)
    if stamp is not None and (named := _parse_stamp("".join(stamp.groups()))) is not None:
        return named
    found = _PUBLISHED.search(head) or _CONTENT.search(head)
    try:
        said = None if found is None else datetime.fromisoformat(found[1].decode())
        return None if said is None else said.replace(tzinfo=said.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _parse_stamp(digits: str) -> datetime | None:
    try:
        return datetime.strptime(digits, "%Y%m%d%H%M").replace(tzinfo=UTC)
    except ValueError:
        return None


def _read(market: str, piece: ArchiveMember) -> Iterator[Batch]:
    table = schema.lei_table(market)
    tally = SignalCounter(piece.dataset)
    latest = LatestRecords(["lei"])
    with staging.unreadable_on(piece, (NotLeiRecordsError, NotSingleFileError)):
        for rows, refused in record_frames(piece):
            kept, wrong = select_market_rows(market, rows, tally)
            yield staging.make_batch(table, latest.newest_rows(kept), pl.concat([refused, wrong]), tally.drain())


def record_frames(member: ArchiveMember) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """The records of a body, with columns of `records.COLUMNS`, and its rejects. At least one frame."""
    unpacked = unpacked_member(member)
    with unpacked.open() as body:
        is_table = parse.detect_format(body.read(parse.HEAD)) is parse.LeiFormat.TABLE
    if is_table:
        for batch in reader.read_csv(unpacked, LAYOUT):
            if batch.rejects["excerpt"].str.starts_with(parse.UNREADABLE.decode()).any():
                raise NotLeiRecordsError("a table that breaks off: the rest could not be checked")
            yield batch.rows, batch.rejects
        return
    with unpacked.open() as body:
        for part in staging.row_chunks(parse.parse_records(body), BLOCK_ROWS):
            yield pl.DataFrame(part, schema=_SCHEMA, orient="row"), staging.reject_rows()


def select_market_rows(market: str, rows: pl.DataFrame, tally: SignalCounter) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The market's rows with their company's number, and rejects without a valid LEI.

    The market's rows are those under its law or in its register; other markets read the rest. Persons are
    dropped.
    """
    at_home = (pl.col("jurisdiction").str.slice(0, 2) == iso_country(market)).fill_null(value=False)
    registered = pl.col("registered_at").is_in(AUTHORITIES[market]).fill_null(value=False)
    person = (pl.col("category") == schema.SOLE).fill_null(value=False)
    person = person | are_personal_numbers(pl.col("registered_at"), pl.col("registered_as"))
    mine = rows.filter((at_home | registered) & ~person)
    name = pl.col("legal_name").fill_null("")
    sound, refused = split_sound(mine, are_leis(pl.col("lei")), _NO_LEI, "lei", name)
    kept = latest_records(sound, ["lei"])
    count_unknown_codes(kept, "category", "EntityCategory", _CATEGORIES, "lei", tally)
    statuses = (*_STATUSES, _DUPLICATE, *_NEVER)
    count_unknown_codes(kept, "registration_status", "RegistrationStatus", statuses, "lei", tally)
    return kept.with_columns(_company_number_series(market, kept, tally).alias(NUMBER)), refused


def _company_number_series(market: str, rows: pl.DataFrame, tally: SignalCounter) -> pl.Series:
    """The number of the company that an LEI names; null for branches, funds and registrations elsewhere."""
    at_home = (pl.col("jurisdiction").str.slice(0, 2) == iso_country(market)).fill_null(value=False)
    company = (pl.col("category") == _COMPANY).fill_null(value=True)
    own = company & ~pl.col("registration_status").is_in(_NEVER).fill_null(value=False)
    registered = pl.col("registered_at").is_in(AUTHORITIES[market]).fill_null(value=False)
    due = rows.with_columns(_due=at_home & own & registered)
    found = due.filter("_due")
    numbers = company_numbers(market, found)
    unread = found.filter(numbers.is_null() & found["registered_as"].is_not_null())
    for authority, lei in unread.select("registered_at", "lei").iter_rows():
        tally.add("unreadable_value", f"registeredAs under {authority}", lei)
    whole = pl.Series(NUMBER, [None], pl.String).new_from_index(0, rows.height)
    return whole.scatter(due["_due"].arg_true(), numbers) if found.height else whole


def _subjects_to_fetch(lei_columns: Mapping[str, str], tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """LEIs named by the staged rows, each once."""
    found: set[str] = set()
    for table, column in lei_columns.items():
        rows = tables.get(table)
        if rows is not None:
            found.update(rows[column].drop_nulls().unique().to_list())
    yield from sorted(filter(is_lei, found))


def fetch(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """The records of some LEIs. No cursor: an LEI named again is requested again.

    Raises UnexpectedBodyError for an answer with fewer records than were found: their LEIs would count as looked up.
    """
    del cursor
    asked = filter(is_lei, subjects)
    while chunk := list(islice(asked, EACH)):
        query = urlencode({"filter[lei]": ",".join(chunk), "page[size]": 2 * EACH})
        answer = http.get(f"{RECORDS_URL}?{query}", headers={"Accept": "application/vnd.api+json"})
        _require_all_records(answer)
        yield answer.to_fetched_file(f"{chunk[0]}.json", Scope.PART)


def _require_all_records(answer: FetchedResponse) -> None:
    try:
        body: Any = msgspec.json.decode(answer.read())
    except MALFORMED as error:
        raise UnexpectedBodyError(answer.url, answer.status, f"JSON that does not parse: {error}") from None
    records, total = member_at(body, "data"), member_at(body, "meta", "pagination", "total")
    if not isinstance(records, list):
        raise UnexpectedBodyError(answer.url, answer.status, "an answer without a list of records")
    if isinstance(total, int) and total > len(records):
        reason = f"{len(records)} of {total} records: the size of the page is not the requested one"
        raise UnexpectedBodyError(answer.url, answer.status, reason)


def map_identifiers(market: str, present: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """The LEI of each company: of several the one with the best status, then the last changed."""
    table = schema.lei_table(market)
    if table.name not in present:
        return staging.empty_staged_frame(IDENTIFIERS)
    rank = {status: place for place, status in enumerate(_STATUSES)}
    is_own = (pl.col("registration_status") != _DUPLICATE).fill_null(value=True)
    rows = present[table.name].filter(is_own, pl.col("_company_id").is_not_null(), pl.col("_retired_at").is_null())
    standing = pl.col("registration_status").replace_strict(rank, default=len(rank), return_dtype=pl.Int32)
    best = (
        rows.with_columns(standing.alias("_standing"))
        .sort("_standing", changed_at(), "lei", descending=[False, True, False], nulls_last=True)
        .unique("_company_id", keep="first", maintain_order=True)
    )
    register = pl.lit(f"{market.lower()}.lei")
    named = best.select(*staging.ORIGIN, scheme=pl.lit("lei"), value="lei", register=register)
    return named.select(IDENTIFIERS.names).collect()
