"""Dataset se.flagging: major holding notices of Swedish listed companies, as their issuers publish them.

Two channels form one dataset, since a holder's newest notice counts whichever channel delivered it: MFN items
with their texts, and pages of the exchange. A text without one clear position gives a signal instead of a row:
releases are prose, and an incomplete one is not damaged. Belongs here: the declaration, files to rows, links.
Does not belong here: parsing texts (`parse`), fetching (`fetch`), holdings (`mapping`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence, Link
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.formats import HEAD, decompressed_head
from connectors.kit.staging import SignalCounter
from connectors.nasdaq.major_holdings import dataset as pages
from connectors.nasdaq.major_holdings import text as shapes
from connectors.nasdaq.major_holdings.form import FlaggingNotification
from connectors.nasdaq.major_holdings.form_row import NotFlaggingFormError
from connectors.nasdaq.schema import HOLDER, MESSAGE, flaggings_table
from connectors.news import categories, items
from connectors.news.mfn import dataset as mfn_dataset
from connectors.news.schema import ID, wire_table
from connectors.se import nasdaq
from connectors.se.bulk.bolagsverket_schema import ORGANISATIONS
from connectors.se.issuer_links import COMPANY_NAME, core_name_key
from connectors.se.major_holdings import fetch, parse
from connectors.se.register import MARKET
from warehouse.schema.types import Column, ColumnKind

KEY: Final = "se.flagging"
_LONGEST: Final = 1 << 20  # characters of an item's markup
LICENCE: Final = Licence("no open licence: figures and link", "https://mfn.se", "Source: MFN, Nasdaq")
NUMBER: Final = "businessId"
WIRE: Final = wire_table(MARKET, mfn_dataset.SOURCE)
NOTICES: Final = flaggings_table(
    "se_flaggning",
    (
        Column("author", ColumnKind.TEXT, "issuer of the release, if the carrier states it"),
        Column("group", ColumnKind.TEXT, "what ties the languages of one release together"),
        Column("corrects", ColumnKind.TEXT, "source of the notice that this one corrects"),
        Column("published_at", ColumnKind.INSTANT, "time of publication, if the carrier states it"),
    ),
)
# columns by which an erased holder is found
HOLDERS: Final = {NOTICES.name: ("holder", HOLDER)}


# A page is linked to its company by its release, an MFN item without a number like the wire's own row of it, a
# copied text by the issuer that it names.
LINKS: Final = (
    Link(NOTICES.name, MESSAGE, nasdaq.RELEASES.name, MESSAGE),
    Link(NOTICES.name, "source", WIRE.name, ID),
    Link(NOTICES.name, core_name_key("notice_issuer_core", "issuer"), ORGANISATIONS.name, COMPANY_NAME),
)


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises MFN items, pages of releases, and JSON lines with copied texts."""
    return (
        RecognisedFile(None, Scope.PART)
        if mfn_dataset.is_stream(decompressed_head(head))
        else pages.recognise_file(name, head)
    )


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields one batch with a row per notice that states one position, of a page or of MFN items with a text."""
    with staging.open_plain(member) as stream:
        head = stream.read(HEAD)
    if mfn_dataset.is_stream(decompressed_head(head)):
        found = mfn_dataset.stream_items(member)
        yield items.make_items_batch(member, NOTICES, found, _item_row, key="source")
    else:
        yield _pages_batch(member)


def _pages_batch(piece: ArchiveMember) -> Batch:
    tally = SignalCounter(piece.dataset)
    found = [
        pages.notification_row(one, source, given, tally)
        for source, text, given in pages.notification_texts(piece, pages.read_body(piece))
        if (one := _parse_notice(text, None, source, tally)) is not None
    ]
    return staging.make_batch(NOTICES, found, signals=tally.drain())


def _item_row(item: Any, tally: SignalCounter) -> dict[str, Any] | None:
    wire = mfn_dataset.item_row(MARKET, item, tally)
    text = None if wire is None or categories.OWNERSHIP not in wire["categories"] else _item_text(item)
    if wire is None or text is None:
        return None
    one = _parse_notice(f"{wire['title']}\n{text}", wire["author"], wire["id"], tally)
    if one is None:
        return None
    given = {name: wire[name] for name in ("url", "author", "group", "corrects", "published_at")}
    return pages.notification_row(one, wire["id"], given, tally) | {NUMBER: wire["org_number"]}


def _item_text(item: Mapping[str, Any]) -> str | None:
    """Text of an item, from its markup if there is any; None for a compact item."""
    content = item.get("content")
    html, plain = (content.get(name) if isinstance(content, dict) else None for name in ("html", "text"))
    if isinstance(html, str) and html.strip():
        return shapes.tables_to_cells(shapes.html_to_text(html[:_LONGEST].encode()))
    return shapes.tables_to_cells(plain[:_LONGEST]) if isinstance(plain, str) and plain.strip() else None


def _parse_notice(text: str, author: str | None, source: str, tally: SignalCounter) -> FlaggingNotification | None:
    """Parses a notice; None and a signal if it states no position, or two."""
    try:
        return parse.parse_notice(text, author)
    except NotFlaggingFormError as error:
        tally.add("unread_notice", str(error)[:80], source)
        return None


DATASET: Final = Dataset(
    key=KEY,
    title="Swedish issuers: notices of holdings, from MFN and Nasdaq",
    licence=LICENCE,
    cadence=Cadence(cron="10,30,50 5-20 * * *", stale_after_hours=24 * 30),  # weeks pass without any
    guard_limits=GuardLimits(max_rejected=0.05),
    host=fetch.HOST,
    staged_tables={NOTICES.name: NOTICES},
    file_patterns=("mfn_flagging/**", "flagging/**", "nasdaq_cns/*.html", "nasdaq/*.html"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch.fetch_texts,
    subjects_to_fetch=partial(fetch.subjects_to_fetch, WIRE.name, nasdaq.RELEASES.name),
)
