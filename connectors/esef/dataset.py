"""The dataset `<cc>.esef` of a market.

Belongs here: the declaration, recognition and reading of files. Does not belong here: fetching (`fetching`),
pages (`index`), reports (`report`), the shared tables (`mapping`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

import msgspec

from connectors.declare import (
    Batch,
    Cadence,
    Dataset,
    Guard,
    Licence,
    NotOurs,
    Piece,
    Recognised,
    Scope,
    Unreadable,
)
from connectors.esef import fetching, schema
from connectors.esef.facts import NoReport
from connectors.esef.index import NoIndex, batch_of
from connectors.esef.report import row_of
from connectors.kit import staged
from connectors.kit.formats import Format, sniff
from connectors.kit.staged import Tally
from warehouse.schema.identifiers import iso_country

LICENCE: Final = Licence(
    "public filings", "https://filings.xbrl.org/about", "Source: filings.xbrl.org (XBRL International)"
)
_LIMIT: Final = 512 << 20  # text blocks make reports of tens of megabytes
_HEAD: Final = 65_536
_REPORT: Final = re.compile(rb'"documentType"\s*:\s*"[^"]*xbrl-json"')
_FACTS: Final = re.compile(rb'"documentInfo"|"facts"\s*:\s*\{')
_FILINGS: Final = re.compile(rb'"type"\s*:\s*"filing"')
_COUNTRY: Final = re.compile(rb'"country"\s*:\s*"([A-Z]{2})"')
_ERRORS: Final = re.compile(rb'\s*\{\s*"errors"\s*:')
_STATUS: Final = re.compile(rb'"status"\s*:\s*"(\d{3})"')
_EMPTY: Final = re.compile(rb'"data"\s*:\s*\[\s*\]')


def esef_dataset(market: str) -> Dataset:
    """Declares a market's dataset of ESEF reports."""
    tables = (schema.index_table(market), schema.report_table(market))
    return Dataset(
        key=schema.key(market),
        title="filings.xbrl.org: ESEF annual reports",
        licence=LICENCE,
        cadence=Cadence(cron="20 4 * * *", stale_after_hours=24 * 7),
        guard=Guard(max_rejected=0.05),
        host=schema.HOST,
        staged={table.name: table for table in tables},
        files=("esef/**", "esef_*", "filings_xbrl_org/**"),
        recognise=partial(recognise, market),
        split=staged.single,
        read=partial(_read, market),
        fetch=partial(fetching.fetch, market),
    )


def recognise(market: str, name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises a page of the index or an xBRL-JSON report; both have scope PART."""
    del name
    head = head.removeprefix(b"\xef\xbb\xbf")
    reason = _not_ours(market, head)
    return Recognised(None, Scope.PART) if reason is None else NotOurs(reason)


def _not_ours(market: str, head: bytes) -> str | None:
    kind = sniff(head)
    if kind is not Format.JSON:
        return f"{kind}: of filings.xbrl.org, index pages and xBRL-JSON are read; packages are not"
    if _ERRORS.match(head):
        status = _STATUS.search(head)
        return f"error answer of filings.xbrl.org (status {status[1].decode() if status else 'unknown'})"
    if _FILINGS.search(head):
        countries = {found.decode() for found in _COUNTRY.findall(head)}
        if len(head) < _HEAD and iso_country(market) not in countries:
            listed = ", ".join(sorted(countries))
            return f"filings of other countries ({listed}): each market reads only its own"
        return None
    if _REPORT.search(head) or _FACTS.search(head):
        return None
    return "no filings on this page" if _EMPTY.search(head) else "neither a page of filings nor xBRL-JSON"


def _read(market: str, piece: Piece) -> Iterator[Batch]:
    with staged.opened(piece) as body:
        text = body.read(_LIMIT + 1).removeprefix(b"\xef\xbb\xbf")
    if len(text) > _LIMIT:
        raise Unreadable(piece.dataset, piece.name, f"more than {_LIMIT} bytes")
    tally = Tally(piece.dataset)
    try:
        if _FILINGS.search(text[:_HEAD]):
            yield batch_of(market, msgspec.json.decode(text), tally)
        else:
            row = row_of(text, piece.member or piece.name, tally)
            yield staged.batch(schema.report_table(market), [row], None, tally.drain())
    except (NoReport, NoIndex, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(piece.dataset, piece.name, str(error)) from error
