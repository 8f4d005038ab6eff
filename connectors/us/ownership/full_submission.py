"""Parses a full submission text file: its header, the parties, and the documents (docs/formats/us.md 8).

XML is cut out of its `<XML>` block before parsing. Does not belong here: the header's fields
(`filing_headers.sgml_header`), or the content of a document (`schedule13.parse_xml`, `forms345.parse`,
`form13f.parse`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from connectors.us.filing_headers import sgml_header
from name_matching.folding import fold_text

_OPENING: Final = re.compile(rb"<SEC-DOCUMENT>|<SUBMISSION>|<SEC-HEADER>|<IMS-DOCUMENT>|<IMS-HEADER>", re.IGNORECASE)
_REACH: Final = 2_000  # a signed envelope may precede the header
_START: Final = re.compile(rb"<DOCUMENT>", re.IGNORECASE)
_END: Final = re.compile(rb"</DOCUMENT>", re.IGNORECASE)
_TEXT: Final = re.compile(rb"<TEXT>(.*?)(?:</TEXT>|\Z)", re.DOTALL | re.IGNORECASE)
_XML: Final = re.compile(rb"<XML>", re.IGNORECASE)
_XML_END: Final = re.compile(rb"</XML>", re.IGNORECASE)
_TYPE: Final = re.compile(rb"<TYPE>([^\r\n<]*)", re.IGNORECASE)


class TruncatedFilingError(Exception):
    """Raised for a filing with fewer ends of documents than beginnings."""


@dataclass(frozen=True, slots=True)
class FilingDocument:
    """One document: its type as given in the header, XML without its envelope."""

    form: str
    body: bytes
    is_xml: bool


@dataclass(frozen=True, slots=True)
class FullSubmission:
    """One filing. Fields missing in its header are None; `named`: normalised names of parties and their CIKs."""

    accession: str | None
    form: str | None
    filed_on: date | None
    parties: tuple[sgml_header.FilingParty, ...]
    documents: tuple[FilingDocument, ...]
    header_values: Mapping[str, str] = field(default_factory=dict)

    def ciks(self, *roles: str) -> tuple[str, ...]:
        """The distinct CIKs of some roles, in the order of the header."""
        found = (party.cik for party in self.parties if party.role in roles)
        return tuple(dict.fromkeys(cik for cik in found if cik is not None))


def is_full_submission(head: bytes) -> bool:
    """Whether bytes begin a full submission."""
    return _OPENING.search(head[:_REACH]) is not None


def parse_full_submission(body: bytes) -> FullSubmission:
    """The parts of a filing; raises TruncatedFilingError if it ends inside a document."""
    start = _START.search(body)
    text = body[: start.start() if start else len(body)].decode("latin-1")
    documents = tuple(map(_parse_document, _document_bodies(body)))
    due = sum(1 for _ in _START.finditer(body))
    if len(documents) < due:
        raise TruncatedFilingError(f"{due} documents begin and {len(documents)} end")
    header = sgml_header.parse_header(text)
    named = {fold_text(party.name): party.cik for party in header.parties if party.name and party.cik}
    return FullSubmission(header.accession, header.form, header.filed, header.parties, documents, named)


def _document_bodies(body: bytes) -> Iterator[bytes]:
    """The content of each document, up to the first that is not closed."""
    start = _START.search(body)
    while start is not None and (end := _END.search(body, start.end())) is not None:
        yield body[start.end() : end.start()]
        start = _START.search(body, end.end())


def _parse_document(raw: bytes) -> FilingDocument:
    form = _TYPE.search(raw)
    text = _TEXT.search(raw)
    body = text.group(1) if text else b""
    begin = _XML.search(body)
    end = _XML_END.search(body, begin.end()) if begin else None
    xml = body[begin.end() : end.start()] if begin and end else None
    name = form.group(1).decode("latin-1").strip() if form else ""
    return FilingDocument(name, (body if xml is None else xml).strip(), xml is not None)
