"""Dataset no.newsweb: announcements of issuers on Oslo Børs, Norway's official storage (docs/formats/no.md 8).

Belongs here: the declaration, recognising a file, and the envelope, which reports errors under status 200. Reads
lists, single messages, the directory of issuers, and notices as JSON lines. Does not belong here: one message
(`rows`), fetching (`fetch`), or the shared tables (`mapping`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.json.body import decode_body, read_body
from connectors.kit.staging import SignalCounter
from connectors.news.items import impossible_time
from connectors.no.newsweb import rows as rows_of
from connectors.no.newsweb import schema as f
from connectors.no.newsweb.fetch import fetch_announcements
from connectors.no.newsweb.redact import LARGEST, UNREADABLE, redact
from connectors.no.newsweb.rows import Message, RejectedMessageError, Row
from warehouse.schema.types import Table

_PARTS: Final = re.compile(rb'"(messages|message|issuers)"\s*:\s*[\[{]')
_LIST: Final = re.compile(rb'"(categories|markets)"\s*:\s*\[\s*\{')
_NOTICE: Final = re.compile(rb'\s*\{[^\n]*"publishedAt"')
_BASES: Final = re.compile(rb'\s*\{\s*"api_')
_ISSUER_IN_NAME: Final = re.compile(r"issuer-([A-Z0-9]+)\b")
_REFUSED: Final = 400

Make = Callable[[Message, SignalCounter], Row]


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises responses with messages or issuers, always as parts."""
    del name
    head = plain_head(head)
    if detect_body_format(head) is not BodyFormat.JSON:
        return RecognisedFile(None, Scope.PART)  # `read_batches` rejects it with a reason
    if _BASES.match(head):
        return NotApplicable("addresses of the site (urls.json)")
    if _LIST.search(head) and not _PARTS.search(head):
        return NotApplicable("directory of categories or markets: known as codes/newsweb_categories.csv")
    return RecognisedFile(None, Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of the four staged tables, as far as the member has rows of them."""
    text = read_body(member, LARGEST)
    if detect_body_format(text[:1024]) is not BodyFormat.JSON:
        raise member.unreadable_error(f"expected JSON, found {detect_body_format(text[:1024])}")
    work = _MessageReader(member)
    if _NOTICE.match(text):
        yield from work.messages(map(rows_of.from_reduced_layout, _parse_notices(member, text)), whole=True)
        return
    data = _envelope_data(member, text)
    if data.get("overflow") is True:
        work.tally.add("overflow", "list", member.name)  # newest six hundred only: split the range
    listed = data.get("messages")
    if isinstance(listed, list):
        yield from work.messages(listed, whole=False)
    elif isinstance(data.get("message"), dict):
        yield from work.messages([data["message"]], whole=True)
    elif isinstance(data.get("issuers"), list):
        yield from work.issuers(data["issuers"])
    else:
        raise member.unreadable_error("neither messages, a message nor issuers in `data`")


def _parse_notices(piece: ArchiveMember, text: bytes) -> Iterator[Message]:
    with staging.unreadable_on(piece, (ValueError, RecursionError), "lines of JSON that do not parse"):
        yield from msgspec.json.Decoder(dict[str, Any]).decode_lines(text)


def _envelope_data(piece: ArchiveMember, text: bytes) -> dict[str, Any]:
    """The content of the envelope. Errors arrive under status 200, in the header (docs/formats/no.md 8)."""
    body = decode_body(piece, text)
    if isinstance(body, dict) and UNREADABLE in body:
        raise piece.unreadable_error(str(body[UNREADABLE]))
    header = body.get("header") if isinstance(body, dict) else None
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(header, dict) or not isinstance(data, dict):
        raise piece.unreadable_error("no envelope of header and data")
    code = header.get("http.code")
    if header.get("result.val") != 0 or not isinstance(code, int) or code >= _REFUSED:
        told = f"result {header.get('result.val')}, code {code}: {header.get('result.text')}"
        raise piece.unreadable_error(f"an error in the envelope ({told}): try again later")
    return data


class _MessageReader:
    """Converts the messages of one piece to rows, rejects and signals."""

    def __init__(self, piece: ArchiveMember) -> None:
        self._piece = piece
        self._batch = staging.BatchBuilder(piece.dataset)
        self.tally = self._batch.tally
        asked = _ISSUER_IN_NAME.search(piece.name)
        self._sign = None if asked is None else asked[1]

    def messages(self, messages: Iterable[Message], *, whole: bool) -> Iterator[Batch]:
        """Rows of all headers; and of the texts for complete messages."""
        headers: list[Row] = []
        texts: list[Row | None] = []
        flags: list[Row | None] = []
        for message in messages:
            header = self._parse_row(message, rows_of.header_row)
            if header is None:
                continue
            if (impossible := impossible_time(header["publishedTime"], self._piece)) is not None:
                self._batch.reject(header[f.ID], impossible, message)
                continue
            headers.append(header)
            self._check_sign(header)
            if whole:
                texts.append(rows_of.text_row(message, header, self.tally))
                flags.append(rows_of.flag_row(message, header, self.tally))
        yield self._to_batch(f.MESSAGES, headers)
        for table, rows in ((f.TEXTS, texts), (f.FLAGS, flags)):
            if any(rows):
                yield self._to_batch(table, rows)

    def issuers(self, issuers: list[Message]) -> Iterator[Batch]:
        rows = [self._parse_row(issuer, rows_of.issuer_row) for issuer in issuers]
        yield self._to_batch(f.ISSUERS, rows)

    def _parse_row(self, message: object, make: Make) -> Row | None:
        try:
            return make(message if isinstance(message, dict) else {}, self.tally)
        except RejectedMessageError as error:
            self._batch.reject(_message_id(message), error, message)
            return None

    def _check_sign(self, header: Row) -> None:
        """Checks a row's issuer: for an unknown issuer sign the API silently returns the whole market."""
        if self._sign is not None and self._sign not in (header["issuerSign"], header[f.ISSUER]):
            self.tally.add("sign_ignored", self._sign, header[f.ID])

    def _to_batch(self, table: Table, rows: Iterable[Row | None]) -> Batch:
        unique = {tuple(row[name] for name in table.key): row for row in rows if row is not None}
        return self._batch.build(table, unique.values())


def _message_id(message: object) -> object:
    return message.get(f.ID) if isinstance(message, dict) else None


DATASET: Final = Dataset(
    key=f.KEY,
    title="NewsWeb: announcements of listed issuers",
    licence=Licence(
        name="no open licence: headline, category, time and link",
        url="https://newsweb.oslobors.no",
        attribution="Source: NewsWeb, Oslo Børs",
    ),
    cadence=Cadence(cron="15 * * * *", stale_after_hours=72),
    guard_limits=GuardLimits(max_rejected=0.01),
    host=f.HOST,
    staged_tables=f.STAGED,
    file_patterns=("newsweb/**", "newsweb_no/**", "newsweb_notices/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch_announcements,
    redact=redact,
)
