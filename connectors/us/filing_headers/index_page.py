"""Parses the page `-index.html` of a filing as a header: numbers, days, items, documents, parties.

See docs/formats/us.md 4, 8.

Does not belong here: headers as SGML (`sgml_header`).
"""

from __future__ import annotations

import re
from typing import Final

from lxml import etree, html

from connectors.kit.xml.html import TooManyAttributesError, parse_document
from connectors.us.filing_headers.sgml_header import (
    FilingHeader,
    FilingParty,
    parse_accession,
    parse_day,
    parse_eastern_time,
)
from connectors.us.register import central_index_key

MARK: Final = b'id="secNum"'
_NUMBER: Final = re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}")
_FORM: Final = re.compile(r"Form\s+(\S.*)")
_ITEM: Final = re.compile(r"Item ([0-9]{1,2}(?:\.[0-9]{2})?[a-z]?):\s*([^\n]*)")
_PARTY: Final = re.compile(r"\(([^()]+)\)\s*CIK\s*:\s*([0-9]{1,10})\b", re.DOTALL)
_FILE: Final = re.compile(r"File No\.\s*:\s*([0-9A-Z-]+)")
_TYPE_COLUMN: Final = 3  # sequence, description, document, type, size


class NotIndexPageError(Exception):
    """Raised for HTML that is not the index page of a filing."""


def parse_index_page(body: bytes) -> FilingHeader:
    """The header shown on a page; raises NotIndexPageError for another page."""
    try:
        root = parse_document(body, html.HTMLParser(encoding="utf-8", no_network=True))
    except (etree.ParserError, etree.XMLSyntaxError, TooManyAttributesError) as error:
        raise NotIndexPageError(f"no HTML to read: {error}") from error
    number = _NUMBER.search(_first_text(root, "//*[@id='secNum']"))
    form = _FORM.fullmatch(_first_text(root, "//strong[ancestor::*[@id='formName']]").strip())
    if number is None or form is None:
        raise NotIndexPageError("no accession number or form on the page: no index page of a filing")
    told = _captioned_values(root)
    items = _ITEM.findall(told.get("Items", ""))
    return FilingHeader(
        accession=parse_accession(number[0]),
        form=form[1],
        filed=parse_day(told.get("Filing Date")),
        period=parse_day(told.get("Period of Report")),
        accepted=parse_eastern_time(told.get("Accepted")),
        codes=tuple(code for code, _ in items),
        labels=tuple(label.strip() for _, label in items),
        parties=tuple(_parse_parties(root)),
        documents=tuple(_document_types(root)),
    )


def _first_text(root: etree._Element, path: str) -> str:
    """The text of the first element at a path, with its line breaks."""
    for found in root.xpath(path):
        return _element_text(found)
    return ""


def _element_text(element: etree._Element) -> str:
    return "\n".join(str(part).replace("\xa0", " ") for part in element.itertext())


def _captioned_values(root: etree._Element) -> dict[str, str]:
    """Captions mapped to the text below each."""
    told: dict[str, str] = {}
    for caption in root.xpath("//div[@class='infoHead']"):
        value = caption.getnext()
        if value is not None and value.get("class") == "info":
            told.setdefault(_element_text(caption).strip(), _element_text(value).strip())
    return told


def _parse_parties(root: etree._Element) -> list[FilingParty]:
    parties: list[FilingParty] = []
    for block in root.xpath("//div[@class='companyInfo']"):
        text = " ".join(filter(None, map(str.strip, _element_text(block).split("\n"))))
        found = _PARTY.search(text)
        if found is not None:
            file = _FILE.search(text)
            role = found[1].strip().upper().replace(" ", "-").replace("SUBJECT", "SUBJECT-COMPANY")
            role = role.replace("REPORTING", "REPORTING-OWNER")
            parties.append(FilingParty(role, central_index_key(found[2]), file[1] if file else None))
    return parties


def _document_types(root: etree._Element) -> list[str]:
    documents: list[str] = []
    # by ancestor: as `//A//tr`, nested tables would cost the square of their rows
    for row in root.xpath("//tr[td][ancestor::table[@class='tableFile']]"):
        cells = [_element_text(cell).strip() for cell in row.xpath("td")]
        if len(cells) > _TYPE_COLUMN and cells[_TYPE_COLUMN]:
            documents.append(cells[_TYPE_COLUMN])
    return documents
