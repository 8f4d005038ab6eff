"""Dataset dk.virksomhed: companies of CVR and their legal owners, from the register's search index.

Belongs here: the declaration, recognising files, records to batches. Channels: pages of the index in the order of
change (`search`), saved answers, and lines with one hit each. Does not belong here: a record's row (`companies`,
`owners`), what is removed before the archive (`redact`), the profile (`profile.companies`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, Cursor, FetchedFile, NotApplicable, RecognisedFile, Scope
from connectors.dk import code_lists
from connectors.dk.answers import hits_member
from connectors.dk.register import HOST, INDEX_URL, LICENCE
from connectors.dk.search import SearchIndex, fetch_changes
from connectors.dk.virksomhed.companies import LINES, CompanyRow, company_row, days_to_come
from connectors.dk.virksomhed.holdings import is_lower_end
from connectors.dk.virksomhed.owners import OwnerRow, owner_rows
from connectors.dk.virksomhed.redact import redact
from connectors.dk.virksomhed.schema import COMPANIES, KEY, LATER_COMPANIES, NUMBER, OWNERS, STAGED
from connectors.dk.virksomhed.structs import CompanyHit, RegisteredCompany
from connectors.kit import staging
from connectors.kit.columns.text import AHEAD
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.json import structs
from connectors.kit.staging import RejectedRecordError, SignalCounter
from warehouse.schema.types import ColumnKind, Table

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

# Small stretches stay in the cache from decoding to rows: of a mebibyte each, a company costs half as much again
_STRETCH_BYTES: Final = 256 << 10
_BATCH_STRETCHES: Final = 64
_RECORD: Final = "Vrvirksomhed."
_BEGIN: Final = datetime(1900, 1, 1, tzinfo=UTC)
_FIELDS: Final = (
    "cvrNummer", "enhedsNummer", "samtId", "sidstOpdateret", "fejlRegistreret", "reklamebeskyttet", "navne",
    "livsforloeb", "virksomhedsstatus", "virksomhedsform", "hovedbranche", "beliggenhedsadresse", "hjemmeside",
    "attributter", "virksomhedMetadata", "deltagerRelation.deltager.enhedsNummer",
    "deltagerRelation.deltager.enhedstype", "deltagerRelation.deltager.forretningsnoegle",
    "deltagerRelation.deltager.navne",
    "deltagerRelation.deltager.adresseHemmelig", "deltagerRelation.deltager.beliggenhedsadresse.landekode",
    "deltagerRelation.deltager.beliggenhedsadresse.periode", "deltagerRelation.organisationer.hovedtype",
    "deltagerRelation.organisationer.organisationsNavn", "deltagerRelation.organisationer.medlemsData",
)  # fmt: skip
INDEX: Final = SearchIndex(
    url=f"{INDEX_URL}/virksomhed/_search",
    name="virksomhed",
    instant=f"{_RECORD}sidstOpdateret",
    number=f"{_RECORD}enhedsNummer",
    fields=tuple(f"{_RECORD}{name}" for name in _FIELDS),
    first=lambda _now: _BEGIN,
)
_OTHER_INDEXES: Final = {
    b'"VrproduktionsEnhed"': "production units: places of work, not companies",
    b'"Vrdeltagerperson"': "participants: the records of companies name their owners with everything that is served",
}
# Kinds of columns whose values are parsed from text, a column at a time
_WRITTEN: Final = {ColumnKind.DATE: pl.String(), ColumnKind.TEXTS: pl.String()}
_CHANGED: Final = COMPANIES.names.index("sidst_opdateret")
_EARLIEST: Final = date(1600, 1, 1)  # an earlier day is a filler, as 0001-01-01
_BEGINNINGS: Final = ("stiftelses_dato", "livsforloeb_fra")  # these are not of the years to come
_DATES: Final = {
    table.name: [column.name for column in table.columns if column.kind is ColumnKind.DATE] for table in STAGED.values()
}


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises answers and lines with records of companies: parts, unless the folder's `day.json` says otherwise."""
    head = plain_head(head)
    if name.startswith("reference_codes/"):
        return NotApplicable("post codes: municipalities and regions that are served are in codes/municipalities.csv")
    if detect_body_format(head) is not BodyFormat.JSON:
        return NotApplicable(f"{detect_body_format(head).value}, not an answer of the register")
    for mark, reason in _OTHER_INDEXES.items():
        if mark in head:
            return NotApplicable(reason)
    if b'"Vrvirksomhed"' in head:
        return RecognisedFile(None, Scope.PART)
    return NotApplicable("an answer without records of companies")


def fetch(http: HttpClient, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Pages of companies whose records changed, oldest change first: all of them in the first runs."""
    del subjects
    yield from fetch_changes(INDEX, http, cursor)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches of the staged tables."""
    reader = _RecordReader(member)
    found = structs.decode_into(
        hits_member(member), CompanyHit, reader.tally, reader.take, key="_id", block=_STRETCH_BYTES
    )
    while some := list(islice(found, _BATCH_STRETCHES)):
        yield from reader.batches(some)


class _RecordRows(NamedTuple):
    """Rows of one record; to_come: of the company on later days, with the day at the end."""

    company: CompanyRow
    owners: Sequence[OwnerRow]
    to_come: Sequence[CompanyRow]


class _Stretch:
    """Rows of some records."""

    def __init__(self, rejects: pl.DataFrame) -> None:
        self.records: list[_RecordRows] = []
        self.rejects = [rejects]


class _RecordReader:
    """Converts records to rows; of a number that a batch repeats, the record that changed last holds."""

    def __init__(self, member: ArchiveMember) -> None:
        self.tally = SignalCounter(member.dataset)
        self._day = f"{member.observed_at:%Y-%m-%d}"
        self._latest = member.observed_at.date() + AHEAD

    def take(self, hits: list[CompanyHit], rejects: pl.DataFrame) -> _Stretch:
        stretch = _Stretch(rejects)
        refused: list[tuple[object, str, object]] = []
        for hit in hits:
            record = hit.company
            if record is None:
                refused.append((hit.id, "not a company: a record of another index", ""))
                continue
            try:
                row = company_row(record, self._day, self.tally)
            except RejectedRecordError as error:
                refused.append((record.cvrNummer or hit.id, str(error), record.enhedsNummer or ""))
                continue
            owners = list(owner_rows(record, row[0], self._day, self.tally)) if record.deltagerRelation else ()
            stretch.records.append(_RecordRows(row, owners, self._rows_to_come(record)))
        if refused:
            stretch.rejects.append(staging.reject_rows(refused))
        return stretch

    def _rows_to_come(self, record: RegisteredCompany) -> Sequence[CompanyRow]:
        """What the record says of its company from later days on; what is odd was counted with its row of today."""
        unheard = SignalCounter(self.tally.dataset)
        days = days_to_come(record, self._day, self._latest.isoformat())
        return [(*company_row(record, day, unheard), day) for day in days]

    def batches(self, stretches: list[_Stretch]) -> Iterator[Batch]:
        records = _newest_records([record for stretch in stretches for record in stretch.records])
        companies = [one.company for one in records]
        owners = [row for one in records for row in one.owners]
        to_come = [row for one in records for row in one.to_come]
        rejects = pl.concat([part for stretch in stretches for part in stretch.rejects])
        rows = _typed_rows(COMPANIES, companies, self.tally, self._latest)
        self._audit_codes(rows)
        yield staging.make_batch(COMPANIES, rows, rejects, self.tally.drain())
        if owners:
            held = _typed_rows(OWNERS, owners, self.tally, date.max)
            self._audit_shares(held)
            yield staging.make_batch(OWNERS, held, signals=self.tally.drain())
        if to_come:
            later = _typed_rows(LATER_COMPANIES, to_come, SignalCounter(self.tally.dataset), self._latest)
            yield staging.make_batch(LATER_COMPANIES, later)

    def _audit_codes(self, rows: pl.DataFrame) -> None:
        """Counts words and codes that no list has."""
        words = rows.select(NUMBER, word=pl.coalesce("sammensat_status", "status").str.to_lowercase())
        code_lists.STATUSES.audit(words, "word", NUMBER, self.tally, "unknown_status")
        code_lists.LEGAL_FORMS.audit(rows, "form_kode", NUMBER, self.tally, "unknown_legal_form")
        code_lists.MUNICIPALITIES.audit(rows, "kommune_kode", NUMBER, self.tally, "unknown_municipality")

    def _audit_shares(self, rows: pl.DataFrame) -> None:
        """Counts shares that are no lower end of a band: their meaning is unknown."""
        for name in ("ejerandel", "stemmeret"):
            strange = [share for share in rows[name].unique().to_list() if not is_lower_end(share)]
            if strange:
                found = rows.filter(pl.col(name).is_in(strange)).select(subject=name, example=NUMBER)
                staging.count_subjects(self.tally, "unknown_band", found)


def _newest_records(records: list[_RecordRows]) -> list[_RecordRows]:
    """Each company once: of its records the one that changed last, whatever their order; of equal ones the last."""
    newest: dict[str, int] = {}
    for place, (row, *_) in enumerate(records):
        known = newest.setdefault(row[0], place)
        if known != place and _changed_at(records[known].company) <= _changed_at(row):
            newest[row[0]] = place
    return records if len(newest) == len(records) else [records[place] for place in sorted(newest.values())]


def _changed_at(row: CompanyRow) -> datetime:
    """When the record of a row changed last; before all others if it does not say so."""
    try:
        found = datetime.fromisoformat(row[_CHANGED] or "")
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _typed_rows(table: Table, rows: Sequence[tuple[Any, ...]], tally: SignalCounter, latest: date) -> pl.DataFrame:
    """Rows column by column, lists and days parsed; a day that does not parse, or cannot be, is null, and counted."""
    columns = zip(*rows, strict=True) if rows else repeat(())
    series = [
        pl.Series(column.name, list(values), dtype=_WRITTEN.get(column.kind, staging.TYPES[column.kind]))
        for column, values in zip(table.columns, columns, strict=bool(rows))
    ]
    texts = pl.DataFrame(series).unique(table.key, keep="last", maintain_order=True)
    dates = _DATES[table.name]
    typed = texts.with_columns(
        *(_possible_day(name, latest if name in _BEGINNINGS else date.max) for name in dates),
        *(_parse_lines(column.name) for column in table.columns if column.kind is ColumnKind.TEXTS),
    )
    for name in dates:
        if texts[name].null_count() != typed[name].null_count():
            lost = texts[name].is_not_null() & typed[name].is_null()
            staging.count_signals(tally, "unreadable_value", name, texts[table.key[0]].filter(lost))
    return typed


def _possible_day(name: str, latest: date) -> pl.Expr:
    day = pl.col(name).str.to_date("%Y-%m-%d", strict=False)
    return pl.when(day.is_between(_EARLIEST, latest)).then(day).alias(name)


def _parse_lines(name: str) -> pl.Expr:
    """The items of a list of texts; null for null."""
    written = pl.col(name)
    return pl.when(written == "").then(pl.lit([], pl.List(pl.String))).otherwise(written.str.split(LINES)).alias(name)


DATASET: Final = Dataset(
    key=KEY,
    title="CVR: companies and legal owners",
    licence=LICENCE,
    cadence=Cadence(cron="20 1,7,11,15,19 * * *", stale_after_hours=48),  # the register changes continuously
    guard_limits=GuardLimits(max_rejected=0.01),
    host=HOST,
    staged_tables=STAGED,
    file_patterns=(
        "cvr_virksomhed/**",
        "virksomhed/**",
        "cvr_deltager/**",
        "cvr_produktionsenhed/**",
        "reference_codes/**",
    ),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch,
    redact=redact,
)
