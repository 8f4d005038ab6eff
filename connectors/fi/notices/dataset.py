"""Dataset fi.notices: notices registered in the Trade Register, with their types (docs/formats/fi.md 4).

Belongs here: the declaration, recognising a file, company objects to notices. Notices report registered accounts,
including paper ones. The company's own fields in the same object are left to `fi.ytj`: they lack the industry and
the website, and would erase them. Does not belong here: fetching (`fetch`), filings (`mapping`).
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Cadence,
    Dataset,
    GuardLimits,
    NotApplicable,
    RecognisedFile,
    Scope,
    UnreadableFileError,
)
from connectors.fi.notices import fetch
from connectors.fi.notices.schema import DAY, DIGITAL, KEY, NOTICES, NUMBER, RECORD, TYPE, TYPES
from connectors.fi.register import HOST, LICENCE, error_body_reason, parse_business_id
from connectors.fi.xbrl.filing_lists import LIST, parse_statement_list
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.json.record import JsonRecord, RecordError
from connectors.kit.staging import SignalCounter
from connectors.kit.xbrl.facts import parse_day

_LARGEST: Final = 64 << 20
_COMPANIES: Final = "companies"
_NOTICES: Final = "publicNotices"
_OF_COMPANY: Final = (  # known, and read by `fi.ytj`
    "euId",
    "names",
    "mainBusinessLine",
    "website",
    "companyForms",
    "companySituations",
    "registeredEntries",
    "addresses",
    "tradeRegisterStatus",
    "status",
    "registrationDate",
    "endDate",
    "lastModified",
)


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises search pages and single companies; distinguishes empty pages from companies without notices."""
    del name
    head = decompressed_head(head).removeprefix(codecs.BOM_UTF8)
    if detect_body_format(head) is not BodyFormat.JSON:
        return NotApplicable(f"expected the JSON of notices, found {detect_body_format(head)}")
    if f'"{_NOTICES}"'.encode() in head or f'"{LIST}"'.encode() in head:
        return RecognisedFile(None, Scope.PART)
    try:
        body: Any = msgspec.json.decode(head)
    except MALFORMED:
        return RecognisedFile(None, Scope.PART)  # longer than its head, or damaged: `read_batches` finds out
    reason = error_body_reason(body)
    if reason is None and isinstance(body, dict):
        reason = "companies without any notice" if _COMPANIES in body or NUMBER in body else None
    return NotApplicable(reason or "JSON that is not a response about notices")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields one batch of `fi_ilmoitus`, or of the list of digital statements fetched with it."""
    with staging.open_plain(member) as stream:
        text = stream.read(_LARGEST).removeprefix(codecs.BOM_UTF8)
    try:
        body: Any = msgspec.json.decode(text)
    except MALFORMED as error:
        raise UnreadableFileError(member.dataset, member.name, f"expected JSON: {error}") from None
    if isinstance(body, dict) and LIST in body:
        yield _digital_batch(member, text)
        return
    companies = _company_objects(body)
    if companies is None:
        raise UnreadableFileError(member.dataset, member.name, "neither a company nor a list of companies")
    tally = SignalCounter(member.dataset)
    rows: list[dict[str, Any]] = []
    rejects: list[tuple[object, str, object]] = []
    for place, company in enumerate(companies, start=1):
        try:
            _collect_notices(company, tally, rows, rejects)
        except RecordError as error:
            rejects.append((place, str(error), ""))
    yield staging.make_batch(NOTICES, rows, staging.reject_rows(rejects), tally.drain())


def _digital_batch(piece: ArchiveMember, text: bytes) -> Batch:
    """Batch of the companies that filed digitally on these days."""
    tally = SignalCounter(piece.dataset)
    rows, rejects = parse_statement_list(piece, text, tally)
    days = [{NUMBER: row[NUMBER], DAY: row[DAY]} for row in rows]
    return staging.make_batch(DIGITAL, days, staging.reject_rows(rejects), tally.drain())


def _company_objects(body: Any) -> list[Any] | None:
    if not isinstance(body, dict):
        return body if isinstance(body, list) else None
    listed = body.get(_COMPANIES)
    if isinstance(listed, list):
        return listed
    return [body] if NUMBER in body else None


def _collect_notices(
    company: Any, tally: SignalCounter, rows: list[dict[str, Any]], rejects: list[tuple[object, str, object]]
) -> None:
    """Adds the notices of one company; an unreadable notice is rejected alone."""
    record = JsonRecord(company, tally, "")
    number = parse_business_id(record.child(NUMBER).text("value"))
    if number is None:
        raise RecordError(NUMBER, "is none")
    record = JsonRecord(company, tally, number)
    record.ignore(NUMBER, *_OF_COMPANY)
    for notice in record.children(_NOTICES):
        try:
            rows.append(_notice_row(notice, number, tally))
        except RecordError as error:
            rejects.append((number, str(error), ""))
    record.close()


def _notice_row(notice: JsonRecord, number: str, tally: SignalCounter) -> dict[str, Any]:
    registered = notice.need(DAY)
    when = parse_day(registered, is_end=False)
    if when is None:
        raise RecordError(DAY, f"is not a date: {registered}")
    kind = str(notice.take(TYPE) or "").strip()
    if kind not in TYPES:
        tally.add("unknown_code", f"{TYPE} {kind}", number)
    codes = notice.take("entryCodes")
    listed = codes if isinstance(codes, list) else []
    return {
        NUMBER: number,
        DAY: when,
        RECORD: str(notice.take(RECORD) or "").strip(),
        TYPE: kind,
        "entryCodes": [str(code) for code in listed if isinstance(code, str | int)],
    }


DATASET: Final = Dataset(
    key=KEY,
    title="PRH: registered notices",
    licence=LICENCE,
    cadence=Cadence(cron="15 5 * * *", stale_after_hours=72),
    guard_limits=GuardLimits(max_rejected=0.01),
    host=HOST,
    staged_tables={NOTICES.name: NOTICES, DIGITAL.name: DIGITAL},
    file_patterns=("notices_v3/**", "notices/**", "registerednotices*/**", "krek/**"),
    recognise_file=recognise_file,
    split_members=staging.no_split,
    read_batches=read_batches,
    fetch=fetch.fetch,
)
