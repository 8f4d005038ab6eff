"""Dataset no.regnskap_masse: the mass file of Regnskapsregisteret (subscription), streamed.

Belongs here: joining the two parts of a submission (RES: income statement, BAL: balance) on company, year,
scope and journalnr, in any order in the file. Does not belong here: the open API (`dataset`), or which shared
figure a field code is (`mapping`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any, BinaryIO, Final

import polars as pl
from lxml import etree

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.currencies import CURRENCIES
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.no.register import HOST, LICENCE, count_wrong_check_digits
from connectors.no.regnskap.amounts import InvalidAmountError, check_totals, to_whole_units
from connectors.no.regnskap.rows import RejectedAccountsError, is_ended_period
from connectors.no.regnskap.schema import JOURNAL, MASS, MASS_IDENTITIES, MASS_IGNORED, POST, TYPE
from warehouse.schema.types import ColumnKind

KEY: Final = "no.regnskap_masse"
PARTS: Final = ("RES", "BAL")
CHUNK: Final = 20_000  # submissions in one batch
_HEAD_FIELDS: Final = frozenset(name for name in MASS.names if not name.startswith(POST))
_KNOWN: Final = _HEAD_FIELDS | frozenset(MASS_IGNORED)
_NAMED_AT: Final = re.compile(r"(?<![0-9])(20[0-9]{12})(?![0-9])")
_ROOT: Final = re.compile(rb"<deler\b")
_COMPACT_DAY: Final = re.compile("[0-9]{8}")
_RECEIVED: Final = "mottatt_dato"
_COMMON: Final = ("startdato", "avslutningsdato", "valutakode")  # of both parts of a submission

# a total and the line that stands in for it where it is absent (`mapping.MASS_POSTS`)
_COUNTERPARTS: Final = {f"{POST}72": f"{POST}1340", f"{POST}219": f"{POST}251"}

Key = tuple[str, str, str, str]
Row = dict[str, Any]


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises a mass file; its name has the time of writing: 20190327213825-masse-2.xml."""
    head = plain_head(head)
    found = detect_body_format(head)
    if found is BodyFormat.EMPTY:
        return NotApplicable("empty file")
    if found is BodyFormat.XML and not _ROOT.search(head):
        return NotApplicable("XML of another kind: no <deler>")
    return RecognisedFile(_written_at(name), Scope.PART)


def _written_at(name: str) -> datetime | None:
    found = _NAMED_AT.search(name)
    try:
        return datetime.strptime(found.group(1), "%Y%m%d%H%M%S").replace(tzinfo=UTC) if found else None
    except ValueError:
        return None


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of `no_regnskap_masse`."""
    with staging.open_plain(member) as body:
        found = detect_body_format(body.read(1024))
    if found is not BodyFormat.XML:
        raise member.unreadable_error(f"expected the XML of a mass file, found {found}")
    kinds = (etree.XMLSyntaxError, ValueError)
    with staging.open_plain(member) as body, staging.unreadable_on(member, kinds, "XML that does not read"):
        yield from _SubmissionReader(member).batches(body)


class _SubmissionReader:
    """Collects the submissions of one file: parts without their counterpart yet, and complete rows."""

    def __init__(self, piece: ArchiveMember) -> None:
        self._batch = staging.BatchBuilder(piece.dataset)
        self._tally = self._batch.tally
        self._seen = piece.observed_at.date()
        self._waiting: dict[Key, tuple[str, Row]] = {}
        self._joined: set[Key] = set()
        self._rows: list[Row] = []

    def batches(self, body: BinaryIO) -> Iterator[Batch]:
        posts, announced, parts = 0, None, 0
        events = etree.iterparse(
            body, tag=("del", "ant_poster"), resolve_entities=False, no_network=True, load_dtd=False
        )
        for _, element in events:
            if element.tag == "ant_poster":
                announced = (element.text or "").strip()
            else:
                posts += len(element.findall("info"))
                parts += 1
                self._add_part(element)
                _free_element(element)
            if len(self._rows) >= CHUNK:
                yield self._drain_batch()
        if not parts and announced != "0":
            raise ValueError("no <del> in it")
        for key, (kind, row) in self._waiting.items():
            self._tally.add("unpaired_part", kind, key[0])
            self._rows.append(row)
        if announced != str(posts):
            self._tally.add("count_mismatch", f"ant_poster {announced}, read {posts}")
        yield self._drain_batch()

    def _add_part(self, element: etree._Element) -> None:
        head = element.find("hode")
        fields = {} if head is None else {str(field.tag): (field.text or "").strip() or None for field in head}
        try:
            key, row = _parse_part_head(fields, self._seen)
        except RejectedAccountsError as error:
            self._batch.reject(fields.get(JOURNAL) or "?", error, fields)
            return
        for name in fields.keys() - _KNOWN:
            self._tally.add("unknown_key", f"hode.{name}", key[0])
        if fields.get(_RECEIVED) and row[_RECEIVED] is None:
            self._tally.add("unreadable_value", _RECEIVED, key[0])
        elif row[_RECEIVED] is not None and not row["avslutningsdato"] < row[_RECEIVED] <= self._seen:
            self._tally.add("impossible_date", _RECEIVED, key[0])
            row[_RECEIVED] = None
        self._fill_posts(element, row)
        self._join_parts(key, str(fields.get("regnskap_dokumenttype")), row)

    def _fill_posts(self, element: etree._Element, row: Row) -> None:
        stated: dict[str, set[int]] = {}
        for info in element.iterfind("info"):
            name = POST + (info.findtext("feltkode") or "").strip()
            if name in row:
                try:
                    amount = _post_amount(info)
                except InvalidAmountError:
                    self._tally.add("unreadable_value", name, row["orgnr"])
                    continue
                if amount is not None:
                    row[name] = amount
                    stated.setdefault(name, set()).add(amount)
        self._clear_contradicted(row, stated)

    def _clear_contradicted(self, row: Row, stated: dict[str, set[int]]) -> None:
        """Clears posts stated differently, as nothing says which is meant, and counterparts that repeat none of it."""
        contradicted = {name: amounts for name, amounts in stated.items() if len(amounts) > 1}
        for name in sorted(contradicted):
            self._tally.add("contradictory_post", name, row["orgnr"])
            row[name] = None
        for name, other in _COUNTERPARTS.items():
            if name in contradicted and row[other] not in contradicted[name]:
                row[other] = None

    def _join_parts(self, key: Key, kind: str, row: Row) -> None:
        if kind not in PARTS:
            self._tally.add("unknown_code", f"regnskap_dokumenttype {kind}", key[0])
        if key in self._joined:
            self._tally.add("repeated_part", kind, key[0])
            return
        waiting = self._waiting.pop(key, None)
        if waiting is None:
            self._waiting[key] = (kind, row)
            return
        other = waiting[1]
        apart = [name for name in _COMMON if None not in (other[name], row[name]) and other[name] != row[name]]
        if apart:
            self._batch.reject(key[3], f"the parts of the submission contradict each other: {', '.join(apart)}", key[0])
            return
        merged = other | {name: value for name, value in row.items() if value is not None}
        both = {name: {other[name], value} for name, value in row.items() if None not in (other[name], value)}
        self._clear_contradicted(merged, {name: stated for name, stated in both.items() if name.startswith(POST)})
        if waiting[0] == kind:  # the counterpart is still to come
            self._tally.add("repeated_part", kind, key[0])
            self._waiting[key] = (kind, merged)
            return
        self._joined.add(key)
        self._rows.append(merged)

    def _drain_batch(self) -> Batch:
        rows = pl.DataFrame(self._rows, schema=dict(staging.staged_schema(MASS)), orient="row")
        rows = rows.unique(MASS.key, keep="last", maintain_order=True)
        check_totals(rows, MASS_IDENTITIES, "orgnr", self._tally)
        CURRENCIES.audit(rows, "valutakode", "orgnr", self._tally, "unknown_currency")
        count_wrong_check_digits(rows, "orgnr", self._tally)
        self._rows = []
        return self._batch.build(MASS, rows)


def _parse_part_head(fields: dict[str, str | None], seen: date) -> tuple[Key, Row]:
    """Key and row of one part, with empty posts."""
    number, journal, scope = fields.get("orgnr"), fields.get(JOURNAL), fields.get(TYPE)
    if number is None or not re.fullmatch(r"[0-9]{9}", number):
        raise RejectedAccountsError("organisation number is not nine digits")
    if journal is None:
        raise RejectedAccountsError("no journalnr: the submission cannot be distinguished from others")
    if scope not in ("S", "K"):
        raise RejectedAccountsError(f"regnskapstype {scope!r} is neither S nor K")
    row: Row = {
        column.name: _parse_day(fields, column.name) if column.kind is ColumnKind.DATE else None
        for column in MASS.columns
    }
    row |= {name: fields.get(name) for name in _HEAD_FIELDS if row[name] is None and name not in _DATES}
    if not is_ended_period(row["startdato"], row["avslutningsdato"], seen):
        said = f"startdato {fields.get('startdato')}, avslutningsdato {fields.get('avslutningsdato')}"
        raise RejectedAccountsError(f"the period is not a valid range of days: {said}")
    return (number, fields.get("regnaar") or "", scope, journal), row


_DATES: Final = frozenset(column.name for column in MASS.columns if column.kind is ColumnKind.DATE)


def _parse_day(fields: dict[str, str | None], name: str) -> date | None:
    """Parses yyyymmdd; None if invalid."""
    text = fields.get(name) or ""
    try:
        return date.fromisoformat(text) if _COMPACT_DAY.fullmatch(text) else None
    except ValueError:
        return None


def _post_amount(info: etree._Element) -> int | None:
    """The sum of a post; 0.00 above posts without any figure is a heading with notes, not a zero."""
    total = to_whole_units((info.findtext("sum") or "").strip() or None)
    figures = [post.findtext("tall") for post in info.iterfind("post")]
    return None if total == 0 and figures and not any(figures) else total


def _free_element(element: etree._Element) -> None:
    """Frees a processed element and its preceding siblings, so that memory stays bounded."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


DATASET: Final = Dataset(
    key=KEY,
    title="Regnskapsregisteret: annual accounts, mass file",
    licence=LICENCE,
    cadence=Cadence(cron="15 6 * * *", stale_after_hours=24 * 14),
    guard_limits=GuardLimits(max_rejected=0.01),
    host=HOST,
    staged_tables={MASS.name: MASS},
    file_patterns=("regnskap_masse/**", "regnskap_masse_xml/**", "20*-masse-*"),
    recognise_file=recognise_file,
    read_batches=read_batches,
)
