"""Dataset no.regnskap: annual accounts from the open API of Regnskapsregisteret.

Belongs here: the declaration, recognising a file, reading and fetching. Accepted responses: an array with one row
(until autumn 2026) or one per year and scope, a single object, and the XML form of either. Does not belong here:
the mass file (`mass_file`), or which post is which shared figure (`mapping`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

import msgspec
from lxml import etree

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.no.register import HOST, LICENCE
from connectors.no.regnskap.fetch import fetch_accounts, subjects_to_fetch
from connectors.no.regnskap.rows import build_batch
from connectors.no.regnskap.schema import ACCOUNTS, JOURNAL
from connectors.no.responses import TOO_MANY, error_status, top_keys

KEY: Final = "no.regnskap"
_LIMIT: Final = 64 * 1024 * 1024  # one company's response is a few kilobytes
_HEAD: Final = 65_536
_REFUSED: Final = 500  # permanent, for banks and insurers (docs/formats/no.md 6.2)
_LIST: Final = re.compile(rb'\s*\[\s*"')
_TURTLE: Final = (b"@prefix", b"<http")
_decoder: Final = msgspec.json.Decoder(float_hook=Decimal)  # amounts are exact, never floats


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises the accounts of one company, always a part."""
    head = plain_head(head)
    reason = _not_applicable_reason(name, head)
    return RecognisedFile(None, Scope.PART) if reason is None else NotApplicable(reason)


def _not_applicable_reason(name: str, head: bytes) -> str | None:
    found = detect_body_format(head)
    if found is BodyFormat.EMPTY:
        return "empty body: the register has no accounts of this company"
    if name.endswith(".ttl") or head.lstrip().startswith(_TURTLE):
        return "RDF (Turtle): the same accounts as the JSON, which is read instead"
    if b"<rdf:RDF" in head or b'"@context"' in head:
        return "RDF (XML or JSON): the same accounts as the plain JSON, which is read instead"
    status = error_status(head)
    if status is not None:
        why = ": accounts of this layout are not in the open API" if status == _REFUSED else ""
        return f"error answer of the register (status {status}){why}"
    if _LIST.match(head):
        return "list of names or years: no accounts"
    keys = top_keys(head)
    return "object without a journalnr: no accounts" if keys is not None and JOURNAL not in keys else None


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields one batch of `no_regnskap`."""
    with staging.open_plain(member) as body:
        text = body.read(_LIMIT)
    status = error_status(text[:_HEAD])
    if status is not None:
        yield _unavailable_batch(member, text)
        return
    found = detect_body_format(text)
    if found is BodyFormat.JSON:
        records = _parse_json(member, text)
    elif found is BodyFormat.XML:
        records = _parse_xml(member, text)
    elif TOO_MANY.match(text):
        raise member.unreadable_error("«Too many requests» with status 200: try again later")
    else:
        raise member.unreadable_error(f"expected JSON accounts, found {found}")
    yield build_batch(member, records)


def _unavailable_batch(piece: ArchiveMember, text: bytes) -> Batch:
    """Batch of a filer (bank, insurer or other) with a layout that the open API permanently refuses."""
    tally = staging.SignalCounter(piece.dataset)
    try:
        path = str(_decoder.decode(text).get("path", ""))
    except (ValueError, RecursionError):
        path = piece.name
    tally.add("accounts_unavailable", "HTTP 500", path.rpartition("/")[2])
    return staging.make_batch(ACCOUNTS, staging.empty_staged_frame(ACCOUNTS), None, tally.drain())


def _parse_json(piece: ArchiveMember, text: bytes) -> list[Any]:
    with staging.unreadable_on(piece, (ValueError, ArithmeticError, RecursionError), "JSON that does not parse"):
        body = _decoder.decode(text.removeprefix(b"\xef\xbb\xbf"))
    return body if isinstance(body, list) else [body]


def _parse_xml(piece: ArchiveMember, text: bytes) -> list[Any]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    with staging.unreadable_on(piece, (etree.XMLSyntaxError, ValueError), "XML that does not parse"):
        root = etree.fromstring(text, parser)
    items = [root] if root.find(JOURNAL) is not None else root.findall("item")
    return [_element_value(item) for item in items]


def _element_value(element: etree._Element) -> object:
    """Converts an XML element to its JSON form: an object, or its text. An empty element becomes null."""
    if len(element):
        return {str(child.tag): _element_value(child) for child in element}
    return (element.text or "").strip() or None


DATASET: Final = Dataset(
    key=KEY,
    title="Regnskapsregisteret: annual accounts, open API",
    licence=LICENCE,
    cadence=Cadence(cron="15 * * * *", stale_after_hours=72),  # a first load goes on every hour
    guard_limits=GuardLimits(max_rejected=0.01),
    host=HOST,
    staged_tables={ACCOUNTS.name: ACCOUNTS},
    file_patterns=("regnskap/**", "regnskap_kopi/**", "documented_examples/regnskap-*"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch_accounts,
    subjects_to_fetch=subjects_to_fetch,
    is_per_company=True,
)
