"""Dataset fi.notices: notices registered in the Trade Register, with their types (docs/formats/fi.md 4).

Belongs here: the declaration, recognising a file, company objects to notices. Notices report registered accounts,
including paper ones. The company's own fields in the same object are left to `fi.ytj`: they lack the industry and
the website, and would erase them. Does not belong here: fetching (`notices_fetch`), filings (`notices_mapping`).
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised, Scope, Unreadable
from connectors.fi import notices_fetch
from connectors.fi.notices_fields import DAY, DIGITAL, KEY, NOTICES, NUMBER, RECORD, TYPE, TYPES
from connectors.fi.register import HOST, LICENCE, RATE, business_id, error_of
from connectors.fi.xbrl_lists import LIST, listed
from connectors.kit import staged
from connectors.kit.chunks import MALFORMED
from connectors.kit.facts import day
from connectors.kit.formats import Format, opening, sniff
from connectors.kit.record import Record, RecordError
from connectors.kit.staged import Tally

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


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises search pages and single companies; distinguishes empty pages from companies without notices."""
    del name
    head = opening(head).removeprefix(codecs.BOM_UTF8)
    if sniff(head) is not Format.JSON:
        return NotOurs(f"expected the JSON of notices, found {sniff(head)}")
    if f'"{_NOTICES}"'.encode() in head or f'"{LIST}"'.encode() in head:
        return Recognised(None, Scope.PART)
    try:
        body: Any = msgspec.json.decode(head)
    except MALFORMED:
        return Recognised(None, Scope.PART)  # longer than its head, or damaged: `read` finds out
    reason = error_of(body)
    if reason is None and isinstance(body, dict):
        reason = "companies without any notice" if _COMPANIES in body or NUMBER in body else None
    return NotOurs(reason or "JSON that is not a response about notices")


def read(piece: Piece) -> Iterator[Batch]:
    """Yields one batch of `fi_ilmoitus`, or of the list of digital statements fetched with it."""
    with staged.opened(piece) as stream:
        text = stream.read(_LARGEST).removeprefix(codecs.BOM_UTF8)
    try:
        body: Any = msgspec.json.decode(text)
    except MALFORMED as error:
        raise Unreadable(piece.dataset, piece.name, f"expected JSON: {error}") from None
    if isinstance(body, dict) and LIST in body:
        yield _digital(piece, text)
        return
    companies = _companies(body)
    if companies is None:
        raise Unreadable(piece.dataset, piece.name, "neither a company nor a list of companies")
    tally = Tally(piece.dataset)
    rows: list[dict[str, Any]] = []
    rejects: list[tuple[object, str, object]] = []
    for place, company in enumerate(companies, start=1):
        try:
            _take(company, tally, rows, rejects)
        except RecordError as error:
            rejects.append((place, str(error), ""))
    yield staged.batch(NOTICES, rows, staged.reject_rows(rejects), tally.drain())


def _digital(piece: Piece, text: bytes) -> Batch:
    """Batch of the companies that filed digitally on these days."""
    tally = Tally(piece.dataset)
    rows, rejects = listed(piece, text, tally)
    days = [{NUMBER: row[NUMBER], DAY: row[DAY]} for row in rows]
    return staged.batch(DIGITAL, days, staged.reject_rows(rejects), tally.drain())


def _companies(body: Any) -> list[Any] | None:
    if not isinstance(body, dict):
        return body if isinstance(body, list) else None
    listed = body.get(_COMPANIES)
    if isinstance(listed, list):
        return listed
    return [body] if NUMBER in body else None


def _take(
    company: Any, tally: Tally, rows: list[dict[str, Any]], rejects: list[tuple[object, str, object]]
) -> None:
    """Adds the notices of one company; an unreadable notice is rejected alone."""
    record = Record(company, tally, "")
    number = business_id(record.child(NUMBER).text("value"))
    if number is None:
        raise RecordError(NUMBER, "is none")
    record = Record(company, tally, number)
    record.ignore(NUMBER, *_OF_COMPANY)
    for notice in record.children(_NOTICES):
        try:
            rows.append(_notice(notice, number, tally))
        except RecordError as error:
            rejects.append((number, str(error), ""))
    record.close()


def _notice(notice: Record, number: str, tally: Tally) -> dict[str, Any]:
    registered = notice.need(DAY)
    when = day(registered, is_end=False)
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
    guard=Guard(max_rejected=0.01),
    host=HOST,
    rate=RATE,
    staged={NOTICES.name: NOTICES, DIGITAL.name: DIGITAL},
    files=("notices_v3/**", "notices/**", "registerednotices*/**", "krek/**"),
    recognise=recognise,
    split=staged.single,
    read=read,
    fetch=notices_fetch.fetch,
)
