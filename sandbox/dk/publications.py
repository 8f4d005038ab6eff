"""Publications of annual reports and their documents, as the open index lists them (docs/formats/dk.md 5).

Belongs here: hits and addresses of documents, and which documents a report has: figures, a printed page, an XML without
key figures before the one with them. Does not belong here: documents (`xbrl`), searches (`elasticsearch`).
"""

from __future__ import annotations

import base64
import gzip
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from urllib.parse import quote

from sandbox.companies.dk import initial_state
from sandbox.dk import xbrl
from sandbox.model.company import Accounts, Company

Record = dict[str, Any]
ADDRESS: Final = r"/(9\d{8})/([A-Za-z0-9_=-]+)\.(xml|xhtml|pdf)"
_HOST: Final = "http://regnskaber.virk.dk"
_XML, _XHTML, _PDF = "application/xml", "application/xhtml+xml", "application/pdf"
_ENDINGS: Final = {_XML: "xml", _XHTML: "xhtml", _PDF: "pdf"}
REPORT: Final = "AARSRAPPORT"


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """One document of a publication. is_packed: sent as gzip, which no header says."""

    number: int
    media_type: str
    body: bytes
    is_packed: bool = False

    @property
    def is_figures(self) -> bool:
        """False for a printed page."""
        return self.media_type != _PDF

    @property
    def sent_bytes(self) -> bytes:
        """What the host sends; the same document gives the same bytes."""
        return gzip.compress(self.body, 6, mtime=0) if self.is_packed else self.body


def company_position(number: int) -> int:
    """Position of the company of a publication, by its number (`initial_state.publication_number`)."""
    return (number - initial_state.publication_number(0, 0)) // initial_state.PUBLICATIONS


def publication_id(accounts: Accounts) -> str:
    """The index's own id of a publication."""
    return f"urn:ofk:oid:{accounts.document}"


def published_at(company: Company, accounts: Accounts) -> str:
    """When a report was published: in the night of its day."""
    return f"{accounts.published}T01:{company.position % 60:02d}:{accounts.document % 60:02d}.000Z"


def report_documents(company: Company, accounts: Accounts) -> list[ReportDocument]:
    """The documents of one publication, in the order in which it lists them."""
    is_inline = accounts.document_style == "c_inline"
    report = xbrl.render_inline(company, accounts) if is_inline else xbrl.render_instance(company, accounts)
    kind = _XHTML if is_inline else _XML
    bodies = [(kind, report), (_PDF, b"%PDF-1.7\n%%EOF\n")]
    if accounts.document_style == "c":  # the page of general data alone comes first
        bodies.insert(0, (_XML, xbrl.render_instance(company, accounts, with_figures=False)))
    return [
        ReportDocument(number, media_type, body, is_packed=media_type != _PDF and company.position % 3 > 0)
        for number, (media_type, body) in enumerate(bodies, start=1)
    ]


def document_path(accounts: Accounts, document: ReportDocument) -> str:
    """The path of a document: the publication's number, and a name in base64."""
    name = base64.urlsafe_b64encode(f"xbrls://{accounts.document}/{document.number}".encode()).decode()
    return f"/{accounts.document}/{name}.{_ENDINGS[document.media_type]}"


def file_name(accounts: Accounts, document: ReportDocument) -> str:
    """The name of a document in a folder: publication and place, so that it is no loose document."""
    ending = _ENDINGS[document.media_type]
    return f"{quote(publication_id(accounts), safe='')}~{document.number}.{ending}"


def publication_source(company: Company, accounts: Accounts) -> Record:
    """`_source` of a hit."""
    case = accounts.published - timedelta(days=1)
    return {
        "cvrNummer": int(company.number),
        "regNummer": None,
        "sagsNummer": f"{case:%y}-{accounts.document % 100_000}",
        "offentliggoerelsestype": "regnskab",
        "offentliggoerelsesTidspunkt": published_at(company, accounts),
        "omgoerelse": accounts.is_amended,
        "indlaesningsTidspunkt": published_at(company, accounts),
        "sidstOpdateret": published_at(company, accounts),
        "regnskab": {
            "regnskabsperiode": {"startDato": accounts.start.isoformat(), "slutDato": accounts.end.isoformat()}
        },
        "dokumenter": [
            {
                "dokumentType": REPORT,
                "dokumentMimeType": document.media_type,
                "dokumentUrl": f"{_HOST}{document_path(accounts, document)}",
            }
            for document in report_documents(company, accounts)
        ],
    }
