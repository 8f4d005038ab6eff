"""What must not come through a redaction where it is a structure that tells: records of persons, texts, addresses.

A rule yields what it found and never quotes it, from the bytes that came out and by nothing of the reader's own code.
What the bytes do not show is not judged: whether a title's name is a person's is left to the connectors' own tests.
Does not belong here: numbers of persons, and which dataset is held to which rule (`privacy`).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree

from tests.fuzz.personal import is_swedish

_MALFORMED: Final = (ValueError, RecursionError)
_SOLE: Final = re.compile(
    rb'"(?:Entity)?[Cc]ategory"\s*:\s*(?:\{\s*"\$"\s*:\s*)?"\s*SOLE_PROPRIETOR\s*"|EntityCategory\s*>\s*SOLE_PROPRIETOR\s*</'
)
_REGISTERED: Final = re.compile(
    rb"RA000(?:544|545|546|735)(?![0-9])[^0-9]{1,120}?((?:18|19|20)?[0-9]{6}[-+]?[0-9]{4})(?![0-9])"
)
_SANCTIONED: Final = frozenset({"sn_entityName", "sn_entityLEI", "sn_otherEntityName", "sn_otherEntityLEI"})
_SANCTION: Final = frozenset({
    "sn_sanctionEsmaID", "sn_sanctionLegalFrameworkName", "sn_natureFullName", "sn_date", "sn_ncaCodeFullName",
    "sn_countryName", "sn_text", *_SANCTIONED,
})  # fmt: skip
_FINE: Final = re.compile(r"[A-Z]{3} [0-9]+")
_ITEM: Final = frozenset({"title", "link", "guid", "pubDate", "creator", "category", "description"})
_NOBODY_NAMED: Final = "(no company named)"
_HOLDINGS: Final = "Holding(s) in Company"
_MAIL: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]{2,20}")
_FORM: Final = re.compile(r"threshold\s+was", re.IGNORECASE)
_INFORMATION: Final = re.compile(r"1[0-3]\s*\.?\s*Additional\s+information", re.IGNORECASE)
_CITY: Final = re.compile(
    r"City\s+of\s+registered\s+office(?:\s*\(\s*if\s+applicable\s*\))?(?:\s*:)?\s*((?!Country\s+of\s+registered)[^\s:].{0,300}?)?"
    r"Country\s+of\s+registered",
    re.IGNORECASE | re.DOTALL,
)
_CITY_LABEL: Final = re.compile(
    r"City(?:\s+of(?:\s+registered(?:\s+office(?:\s*\(\s*if\s+applicable\s*\))?)?)?)?", re.IGNORECASE
)  # or half of it
_FILER: Final = frozenset({"addresses", "phone", "ein"})
_STREET: Final = re.compile(rb'"street1"\s*:\s*"[^"]*[^"\s]')
_COMPANY: Final = re.compile(rb'\s*\{\s*"cik"\s*:\s*"?\d+"?\s*,\s*"entityType"\s*:\s*"(?:operating|investment)"')
_NOBODY: Final = frozenset({None, "", "None", "other"})
_OWN: Final = frozenset({"10-K", "10-Q", "20-F", "40-F", "8-K", "6-K", "N-CSR", "S-1"})
_HOMES: Final = frozenset({
    "rptownerstreet1", "rptownerstreet2", "rptownercity", "rptownerzipcode", "street1", "street2", "zipcode", "city",
    "personphonenum", "phone", "contactname", "contactphonenumber", "contactemailaddress",
    "principalbusinessaddress", "principalbusinessofficeorresidenceaddress", "principaljob", "convictiondescription",
})  # fmt: skip
_XML: Final = re.compile(rb"<XML>(.*?)(?:</XML>|\Z)", re.DOTALL | re.IGNORECASE)
_MARK: Final = b"\xef\xbb\xbf"


def sole_proprietors(body: bytes) -> Iterator[str]:
    """No record that says that it is a sole proprietor's, and no personal number under a Swedish register."""
    if _SOLE.search(body):
        yield "a record of a sole proprietor"
    for found in _REGISTERED.finditer(body):
        if is_swedish(found[1]):
            yield "a personal number under a Swedish register"
    yield from _proprietors_of_table(body)


def _proprietors_of_table(body: bytes) -> Iterator[str]:
    rows = csv.reader(io.StringIO(body.removeprefix(_MARK).decode(errors="replace"), newline=""))
    try:
        header = next(rows, [])
        place = header.index("Entity.EntityCategory")
        if any(row[place].strip() == "SOLE_PROPRIETOR" for row in rows if len(row) > place):
            yield "a row of a sole proprietor"
    except (ValueError, csv.Error):
        return  # no such table, or no rows beyond


def sanctions(body: bytes) -> Iterator[str]:
    """Of documents about companies what is read of them, of others their id; of texts the fine."""
    if b'"sn_' not in body:
        return
    try:
        documents = json.loads(body)["response"]["docs"]
    except (*_MALFORMED, KeyError, TypeError):
        yield "documents that nobody looked through"
        return
    for document in documents:
        if not document.keys() <= _SANCTION:
            yield "a member that is not read"
        if document.get("sn_text") is not None and not _FINE.fullmatch(str(document["sn_text"])):
            yield "a text"
        if not any(document.get(name) for name in _SANCTIONED) and len(document) > 1:
            yield "an act of nobody that is a company"


def acts(body: bytes) -> Iterator[str]:
    """A feed written anew: of a text the fine alone, of a creator the number of a release, nothing beside them.

    Where nobody is named the address tells nobody either.
    """
    try:
        root = etree.fromstring(body)
    except (etree.XMLSyntaxError, ValueError):
        yield "a feed that nobody looked through"
        return
    for item in root.iter("item"):
        if item.findtext("title") == _NOBODY_NAMED and (item.findtext("link") or item.findtext("guid")):
            yield "an address of somebody who is not named"
        for child in item:
            name = etree.QName(child).localname
            if name not in _ITEM:
                yield f"an element {name}"
            elif name == "description" and not _FINE.fullmatch(child.text or ""):
                yield "a text"
            elif name == "creator" and not re.fullmatch("[A-Z0-9]+-[0-9A-Za-z-]+", child.text or ""):
                yield "a creator"


def announcements(body: bytes) -> Iterator[str]:
    """Of texts the form of major holdings alone: no contact, no city of an office."""
    try:
        waiting: list[Any] = [json.loads(body)]
    except _MALFORMED:
        yield "an answer that nobody looked through"
        return
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            waiting += one.values()
            yield from _of_announcement(one)


def _of_announcement(source: dict[str, Any]) -> Iterator[str]:
    text = source.get("document_content")
    if text is None or (isinstance(text, str) and text.startswith("withheld: ")):
        return
    if not isinstance(text, str) or source.get("type") != _HOLDINGS:
        yield "a text that is no form"
        return
    if _MAIL.search(text):
        yield "an address of mail"
    form = _FORM.search(text)
    if form is not None and _INFORMATION.search(text, form.end()):
        yield "additional information"
    if any(_CITY_LABEL.sub("", found[1] or "").strip() for found in _CITY.finditer(text)):
        yield "a city"


def filers(body: bytes) -> Iterator[str]:
    """Of individuals no address, telephone or tax number; none in what does not parse."""
    text = body.removeprefix(_MARK)
    try:
        value = json.loads(text)
    except _MALFORMED:
        if _STREET.search(text) and not _COMPANY.match(text):
            yield "an address in what nobody looked through"
        return
    filer = value.get("data", value) if isinstance(value, dict) and "cik" not in value else value
    if isinstance(filer, dict) and _is_individual(filer) and any(filer.get(name) for name in _FILER):
        yield "an address or number of an individual"


def _is_individual(filer: dict[str, Any]) -> bool:
    """Surely one: owner of what others issue, no issuer, no industry, symbol, tax number or report of its own."""
    filings = filer.get("filings")
    recent = filings.get("recent") if isinstance(filings, dict) else None
    forms = recent.get("form") if isinstance(recent, dict) else None
    return (
        str(filer.get("insiderTransactionForOwnerExists")) in ("1", "True")
        and str(filer.get("insiderTransactionForIssuerExists")) in ("0", "False", "None")
        and not isinstance(filer.get("entityType"), dict | list)
        and filer.get("entityType") in _NOBODY
        and not any(filer.get(name) for name in ("sic", "tickers"))
        and not str(filer.get("ein") or "").strip("0 ")
        and (not isinstance(forms, list) or _OWN.isdisjoint(map(str, forms)))
    )


def homes(body: bytes) -> Iterator[str]:
    """In forms of ownership that are XML no street, town, telephone, profession or conviction."""
    parts = _XML.findall(body) or ([body] if body.lstrip().startswith(b"<") else [])
    for part in parts:
        try:
            root = etree.fromstring(
                part.strip(), etree.XMLParser(recover=True, no_network=True, resolve_entities=False)
            )
        except (etree.XMLSyntaxError, ValueError):
            continue
        for element in () if root is None else root.iter(etree.Element):
            name = str(element.tag).rpartition("}")[2].rpartition(":")[2].lower()  # an undeclared prefix stays in it
            if name in _HOMES and _has_text(element):
                yield f"a text in {name}"


def _has_text(element: etree._Element) -> bool:
    """Text of its own; that of elements within is not judged, for in a damaged body all that follows is within."""
    beside = (child.tail for child in element if not isinstance(child.tag, str))
    return any(text and text.strip() for text in (element.text, *beside))
