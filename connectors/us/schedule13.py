"""Dataset us.schedule13: stakes above five percent, Schedules 13D and 13G (docs/formats/us.md 7.1, 7.2).

Belongs here: the declaration, recognising files, and choosing the parser. Does not belong here: the parsers
(`schedule13_xml`, `schedule13_text`), holdings (`schedule13_holdings`), fetching (`holders_fetch`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised, Unreadable
from connectors.kit import staged
from connectors.kit.formats import Format, sniff
from connectors.kit.staged import Tally
from connectors.us import holders_fetch, holders_files, schedule13_text, schedule13_xml
from connectors.us.access import LIMITER, RATE
from connectors.us.holders_redact import redact
from connectors.us.holders_submission import Submission
from connectors.us.holders_text import flat
from connectors.us.named import STAKES as FORMS
from connectors.us.register import FILES_HOST, LICENCE
from connectors.us.schedule13_fields import BARE, CUSIPS, ISSUER, KEY, STAGED, STAKES
from connectors.us.schedule13_rows import Envelope, Statement, cusip_rows, issuer_of, rows

_FORM: Final = re.compile(r"(?:SC|SCHEDULE) 13[DG](?:/A)?")
_MARK: Final = re.compile(rb"schedule\s*13\s*+(?:-\s*+)?[dg]\b", re.IGNORECASE)
_TYPE: Final = re.compile(rb"\s*(?:<DOCUMENT>\s*)?<TYPE>([^\r\n<]+)", re.IGNORECASE)


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises a filing, its XML, or the page or text of an older one, each a delta of one filing."""
    del name
    return holders_files.recognised(head, _FORM, _MARK, "Schedule 13D or 13G")


def read(piece: Piece) -> Iterator[Batch]:
    """Batches with the persons of one filing, and the issuer of the CUSIPs in it."""
    tally = Tally(piece.dataset)
    body = holders_files.body(piece)
    filing, documents = holders_files.parts(piece, body)
    envelope = Envelope(holders_files.source(piece, filing), holders_files.accession(piece, filing), filing)
    # a letter may precede the form
    told = next((one for one in documents if _FORM.fullmatch(one.form)), documents[0])
    found: list[dict[str, Any]] = []
    cusips: list[dict[str, Any]] = []
    rejects: list[tuple[object, str, object]] = []
    try:
        statement = _statement(piece, told.body, filing, tally)
        found = rows(statement, envelope)
        cusips = cusip_rows(statement, issuer_of(statement, envelope))
    except schedule13_text.NoCover as error:
        rejects.append((envelope.source, str(error), flat(told.body)[:200]))
    known = all(row[ISSUER] is not None for row in found)
    if not known:
        tally.add("no_issuer", "issuer's CIK: found by its CUSIP, if any filing links the two", piece.name)
    yield staged.batch(STAKES if known else BARE, found, staged.reject_rows(rejects), tally.drain())
    yield staged.batch(CUSIPS, cusips)


def _statement(piece: Piece, body: bytes, filing: Submission | None, tally: Tally) -> Statement:
    if holders_files.is_xml(body):
        return schedule13_xml.statement(piece, body, tally)
    if sniff(body[:1024]) in (Format.EMPTY, Format.UNKNOWN):
        raise Unreadable(piece.dataset, piece.name, "neither XML nor the text of a Schedule 13D or 13G")
    told = _TYPE.match(body)
    form = filing.form if filing is not None else told.group(1).decode("latin-1").strip() if told else None
    return schedule13_text.statement(
        piece, flat(body), form if form and _FORM.fullmatch(form) else None, tally
    )


DATASET: Final = Dataset(
    key=KEY,
    title="SEC EDGAR: Schedules 13D and 13G",
    licence=LICENCE,
    cadence=Cadence(cron="15 * * * *", stale_after_hours=24 * 7),
    guard=Guard(max_rejected=0.5),  # prose of thirty years: one unreadable text is a large share of an hour
    host=FILES_HOST,
    rate=RATE,
    limiter=LIMITER,
    staged=STAGED,
    files=("schedule13/**",),
    recognise=recognise,
    split=staged.single,
    read=read,
    fetch=holders_fetch.filings,
    wants=holders_fetch.wanted(FORMS, ("Subject",)),
    redact=redact,
)
