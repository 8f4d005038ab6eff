"""A filing as EDGAR hands it out whole: its header, who is named in it, and its documents (FORMAT us 8).

XML is cut out of its `<XML>` block before anybody parses it. Does not belong here: the header's fields
(`sgml_header`), or what a document says (`schedule13_xml`, `insiders_xml`, `form13f_xml`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from connectors.us import sgml_header
from connectors.us.holders_values import name_key

_OPENING: Final = re.compile(
    rb"<SEC-DOCUMENT>|<SUBMISSION>|<SEC-HEADER>|<IMS-DOCUMENT>|<IMS-HEADER>", re.IGNORECASE
)
_REACH: Final = 2_000  # a signed envelope may stand in front of the header
_START: Final = re.compile(rb"<DOCUMENT>", re.IGNORECASE)
_DOCUMENT: Final = re.compile(rb"<DOCUMENT>(.*?)</DOCUMENT>", re.DOTALL | re.IGNORECASE)
_TEXT: Final = re.compile(rb"<TEXT>(.*?)(?:</TEXT>|\Z)", re.DOTALL | re.IGNORECASE)
_XML: Final = re.compile(rb"<XML>\s*(.*?)\s*</XML>", re.DOTALL | re.IGNORECASE)
_TYPE: Final = re.compile(rb"<TYPE>([^\r\n<]*)", re.IGNORECASE)


class CutOff(Exception):  # noqa: N818 - says what the filing is
    """A filing with fewer ends of documents than beginnings."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its type as the header says, XML without its envelope."""

    form: str
    body: bytes
    is_xml: bool


@dataclass(frozen=True, slots=True)
class Submission:
    """One filing. What its header does not say is None; `named`: comparable names of parties and their CIKs."""

    accession: str | None
    form: str | None
    filed_on: date | None
    parties: tuple[sgml_header.Party, ...]
    documents: tuple[Document, ...]
    named: Mapping[str, str] = field(default_factory=dict)

    def ciks(self, *roles: str) -> tuple[str, ...]:
        """The distinct CIKs of some roles, in the order of the header."""
        found = (party.cik for party in self.parties if party.role in roles)
        return tuple(dict.fromkeys(cik for cik in found if cik is not None))


def is_submission(head: bytes) -> bool:
    """Whether bytes begin a whole filing."""
    return _OPENING.search(head[:_REACH]) is not None


def submission(body: bytes) -> Submission:
    """The parts of a filing; CutOff where it ends in the middle of a document."""
    start = _START.search(body)
    text = body[: start.start() if start else len(body)].decode("latin-1")
    documents = tuple(_document(match.group(1)) for match in _DOCUMENT.finditer(body))
    due = sum(1 for _ in _START.finditer(body))
    if len(documents) < due:
        raise CutOff(f"{due} documents begin and {len(documents)} end")
    header = sgml_header.header(text)
    named = {name_key(party.name): party.cik for party in header.parties if party.name and party.cik}
    return Submission(header.accession, header.form, header.filed, header.parties, documents, named)


def _document(raw: bytes) -> Document:
    form = _TYPE.search(raw)
    text = _TEXT.search(raw)
    body = text.group(1) if text else b""
    xml = _XML.search(body)
    name = form.group(1).decode("latin-1").strip() if form else ""
    return Document(name, xml.group(1) if xml else body.strip(), xml is not None)
