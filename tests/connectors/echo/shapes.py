"""What a file is made of, as a set of paths: keys of JSON, elements and attributes of XML, columns of tables.

Values do not count, nor do places in lists. Does not belong here: which files are held beside each other (`kinds`).
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, Final

from lxml import etree

Shape = Callable[[bytes], Iterator[str]]
_INLINE: Final = "inlineXBRL"
_SYNTAX: Final = ("http://www.xbrl.org/2003/", "http://xbrl.org/2006/xbrldi")  # not its concepts
_MARK: Final = b"\xef\xbb\xbf"


def of_json(body: bytes) -> Iterator[str]:
    """Every key."""
    yield from keys(json.loads(body.removeprefix(_MARK)))


def of_values(body: bytes) -> Iterator[str]:
    """Every key of JSON values one after the other."""
    for value in _values(body):
        yield from keys(value)


def _values(body: bytes) -> Iterator[Any]:
    text, decoder = body.removeprefix(_MARK).decode().lstrip(), json.JSONDecoder()
    while text:
        value, end = decoder.raw_decode(text)
        text = text[end:].lstrip()
        yield value


def keys(value: Any, path: str = "", wild: tuple[str, ...] = ()) -> Iterator[str]:
    """Every key below a value. `wild`: paths whose keys are names of things, not of fields."""
    if isinstance(value, dict):
        for name, inner in value.items():
            below = f"{path}/*" if path in wild else f"{path}/{name}"
            yield below
            yield from keys(inner, below, wild)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, path, wild)


def wild(*paths: str) -> Shape:
    """Keys, those below some paths taken for one."""

    def shape(body: bytes) -> Iterator[str]:
        yield from keys(json.loads(body), "", paths)

    return shape


def by_kind(body: bytes) -> Iterator[str]:
    """Keys of JSON values one after the other, those of each kind of record for themselves."""
    for record in _values(body):
        yield from (f"{_kind(record)}:{path}" for path in keys(record))


def _kind(record: dict[str, Any]) -> str:
    """What a record of Companies House calls itself."""
    return str(record.get("data", record).get("kind", "")).partition("#")[0]


def of_xml(body: bytes) -> Iterator[str]:
    """Every element and attribute by local names."""
    root = etree.fromstring(body.lstrip())
    for element in root.iter("*"):
        yield from _element(element, "")


def _element(element: etree._Element, top: str) -> Iterator[str]:
    names = [_local(one) for one in (*reversed(list(element.iterancestors())), element)]
    path = f"{top}/{'/'.join(names)}"
    yield path
    yield from (f"{path}/@{etree.QName(name).localname}" for name in element.attrib)


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname


def documents(root: str) -> Shape:
    """XML of one root, by itself or cut out of a whole filing."""
    begins = re.compile(rb"<(?:[\w-]+:)?" + root.encode() + rb"[\s>]")

    def shape(body: bytes) -> Iterator[str]:
        for one in re.findall(rb"<XML>\s*(.*?)\s*</XML>", body, re.DOTALL) or [body]:
            if begins.search(one[:3000]):
                yield from of_xml(one)

    return shape


def of_instance(body: bytes) -> Iterator[str]:
    """An XBRL instance: contexts and units by their elements; every fact is a `*` with its attributes."""
    root = etree.fromstring(body.lstrip())
    for element in root.iter("*"):
        yield from _named(element)


def _named(element: etree._Element) -> Iterator[str]:
    chain = [*reversed(list(element.iterancestors())), element]
    names = [_local(one) if _is_syntax(one) else "*" for one in chain]
    path = "/" + "/".join(names)
    yield path
    yield from (f"{path}/@{etree.QName(name).localname}" for name in element.attrib)


def _is_syntax(element: etree._Element) -> bool:
    namespace = etree.QName(element).namespace or ""
    return namespace.startswith(_SYNTAX) or _INLINE in namespace


def of_inline(body: bytes) -> Iterator[str]:
    """Inline XBRL: what stands in the header, and the tags with their attributes. Layout and concepts are free."""
    root = etree.fromstring(body.removeprefix(_MARK).lstrip(), etree.XMLParser(recover=True, huge_tree=True))
    for element in root.iter("*"):
        if _INLINE not in (etree.QName(element).namespace or ""):
            continue
        if _local(element) == "header":
            for inner in element.iter("*"):
                yield from _below(inner, element)
        elif next(element.iterancestors("{*}header"), None) is None:
            yield f"/{_local(element)}"
            yield from (f"/{_local(element)}/@{etree.QName(name).localname}" for name in element.attrib)


def _below(element: etree._Element, top: etree._Element) -> Iterator[str]:
    """The path from the header down; tagged facts that are hidden there are a `*` each."""
    chain = [element]
    while chain[-1] is not top:
        parent = chain[-1].getparent()
        if parent is None:
            return
        chain.append(parent)
    path = "/" + "/".join(_local(one) if _is_syntax(one) else "*" for one in reversed(chain))
    yield path
    yield from (f"{path}/@{etree.QName(name).localname}" for name in element.attrib)


def columns(separator: str, encoding: str = "utf-8-sig") -> Shape:
    """Names of a table's columns, blanks around them aside."""

    def shape(body: bytes) -> Iterator[str]:
        text = body.decode(encoding).removeprefix("\ufeff")
        row = next(csv.reader(io.StringIO(text), delimiter=separator))
        yield from (name.strip() for name in row if name.strip())

    return shape


def of_sheet(body: bytes) -> Iterator[str]:
    """An OpenDocument spreadsheet: its elements, and the texts of the row with most of them, which is the heading."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        root = etree.fromstring(archive.read("content.xml"))
    rows = [["".join(cell.itertext()).strip() for cell in row] for row in root.iter("{*}table-row")]
    heading = max(rows[:20], key=lambda row: sum(map(bool, row)))
    yield from (f"column {text}" for text in heading if text)
    kept = {"table", "table-row", "table-cell"}
    yield from {_local(element) for element in root.iter("*") if _local(element) in kept}


def of_facts(body: bytes) -> Iterator[str]:
    """`companyfacts`: taxonomies, tags and units by their place."""
    value = json.loads(body)
    yield from (f"/{name}" for name in value)
    for taxonomy in value["facts"].values():
        for tag in taxonomy.values():
            yield from (f"/facts/*/*/{name}" for name in tag)
            for unit in tag["units"].values():
                yield from (f"/facts/*/*/units/*/{name}" for fact in unit for name in fact)


_TAG: Final = re.compile(r"^<(/?[A-Z][A-Z0-9-]*)>", re.MULTILINE)
_LABEL: Final = re.compile(r"^[ \t]*([A-Z][A-Z0-9 -]*):[ \t]*(?:\S|$)", re.MULTILINE)


def of_tags(body: bytes) -> Iterator[str]:
    """Tags of EDGAR's header page."""
    yield from _TAG.findall(body.decode("latin-1").partition("-->")[0])


def of_labels(body: bytes) -> Iterator[str]:
    """Labels of the header of a whole filing."""
    head = body.decode("latin-1").partition("</SEC-HEADER>")[0]
    yield from (label.strip() for label in _LABEL.findall(head))


def of_master(body: bytes) -> Iterator[str]:
    """Captions and columns of EDGAR's daily index."""
    head = body.decode("latin-1").partition("\n" + "-" * 80)[0]
    for line in head.splitlines():
        yield from line.split("|") if "|" in line else [line.partition(":")[0]]


def of_pipes(body: bytes) -> Iterator[str]:
    """Columns of a table whose cells are parted by bars."""
    yield from body.decode("ascii").splitlines()[0].split("|")
