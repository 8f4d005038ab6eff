"""Dataset fi.notices: notices registered in the Trade Register, with their types (docs/formats/fi.md 4).

Belongs here: the declaration, recognising a file, company objects to notices. Notices report registered accounts,
including paper ones. The company's own fields in the same object are left to `fi.ytj`: they lack the industry and
the website, and would erase them. Does not belong here: fetching (`fetch`), filings (`mapping`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.fi.notices import fetch
from connectors.fi.notices.schema import DAY, DIGITAL, KEY, NOTICES, NUMBER, RECORD, TYPE, TYPES
from connectors.fi.register import HOST, LICENCE, error_body_reason, finnish_day, parse_business_id
from connectors.fi.xbrl.dataset import LIST, parse_statement_list
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.json.body import decode_body, read_body
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.json.record import JsonRecord, RecordError
from connectors.kit.staging import BatchBuilder, SignalCounter
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
    head = plain_head(head)
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
    text = read_body(member, _LARGEST)
    body = decode_body(member, text, "expected JSON")
    if isinstance(body, dict) and LIST in body:
        yield _digital_batch(member, text)
        return
    companies = _company_objects(body)
    if companies is None:
        raise member.unreadable_error("neither a company nor a list of companies")
    batch = BatchBuilder(member.dataset)
    rows: list[dict[str, Any]] = []
    for place, company in enumerate(companies, start=1):
        try:
            rows.extend(_company_notices(company, batch, finnish_day(member.observed_at)))
        except RecordError as error:
            batch.reject(place, error)
    yield batch.build(NOTICES, rows)


def _digital_batch(piece: ArchiveMember, text: bytes) -> Batch:
    """Batch of the companies that filed digitally on these days."""
    batch = BatchBuilder(piece.dataset)
    rows = parse_statement_list(piece, text, batch)
    return batch.build(DIGITAL, ({NUMBER: row[NUMBER], DAY: row[DAY]} for row in rows))


def _company_objects(body: Any) -> list[Any] | None:
    if not isinstance(body, dict):
        return body if isinstance(body, list) else None
    listed = body.get(_COMPANIES)
    if isinstance(listed, list):
        return listed
    return [body] if NUMBER in body else None


def _company_notices(company: Any, batch: BatchBuilder, today: date) -> Iterator[dict[str, Any]]:
    """The notices of one company; an unreadable notice is rejected alone."""
    record = JsonRecord(company, batch.tally, "")
    number = parse_business_id(record.child(NUMBER).text("value"))
    if number is None:
        raise RecordError(NUMBER, "is none")
    record = JsonRecord(company, batch.tally, number)
    record.ignore(NUMBER, *_OF_COMPANY)
    for notice in record.children(_NOTICES):
        try:
            yield _notice_row(notice, number, batch.tally, today)
        except RecordError as error:
            batch.reject(number, error)
    record.close()


def _notice_row(notice: JsonRecord, number: str, tally: SignalCounter, today: date) -> dict[str, Any]:
    registered = notice.need(DAY)
    when = parse_day(registered, is_end=False)
    if when is None or when > today:
        raise RecordError(DAY, f"is not a past date: {registered}")
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
    read_batches=read_batches,
    fetch=fetch.fetch,
)
