"""Dataset `<cc>.mfn`: the Nordic stream of MFN, with items that carry numbers, LEIs and ISINs.

See docs/formats/news.md 2.2.

Belongs here: the declaration, recognising files, items to rows. Terms are not open: headline, time and link are
kept. The versions of a release share `group_id`; a correction names the corrected item in a tag. Does not
belong here: fetching (`fetch`), or the issuer of an item (`news.issuer_evidence`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.json.record import JsonRecord, RecordError
from connectors.kit.staging import SignalCounter
from connectors.news import bodies, categories, issuer_evidence, items
from connectors.news import text as news_text
from connectors.news.mfn import fetch
from connectors.news.schema import wire_table
from warehouse.schema.types import Table

SOURCE: Final = "mfn"
HOME: Final = "SE"  # market of items that name no country
PUBLISHER: Final = "MFN"
LICENCE: Final = Licence("no open licence: headline, time and link", "https://mfn.se", "Source: MFN")
_OURS: Final = re.compile(rb'"items"\s*:\s*\[|"news_id"')
_LIST: Final = re.compile(rb'"entity_id"')
_LANGUAGE: Final = re.compile(r"[a-z]{2}")
_CORRECTS: Final = ":correction:"
_KEY: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")
_IGNORED: Final = ("subjects", "extensions", "source", "url_slug", "is_draft")
_OF_AUTHOR: Final = ("slug", "slugs", "market_mic", "market_segment_ids", "list_id", "sector_id", "industry_id")
_OF_CONTENT: Final = ("slug", "html", "text", "attachments", "preamble")


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises a stream, a delta: items it lacks are not deleted. Error pages are left to `read_batches`."""
    head = decompressed_head(head)
    if detect_body_format(head) is BodyFormat.JSON and not is_stream(head):
        kind = "directory of issuers: items name theirs themselves" if _LIST.search(head) else "JSON of another kind"
        return NotApplicable(f"{kind}; no stream of items")
    return RecognisedFile(None, Scope.PART)


def is_stream(head: bytes) -> bool:
    """Whether a body begins like a stream of items."""
    return _OURS.search(head) is not None


def read_batches(market: str, staged_table: Table, member: ArchiveMember) -> Iterator[Batch]:
    """One batch: the items of issuers of this market."""
    yield items.make_items_batch(member, staged_table, stream_items(member), partial(item_row, market))


def stream_items(member: ArchiveMember) -> list[Any]:
    """The undecoded items of a stream. Raises UnreadableFileError."""
    body = bodies.decode_member(member, "a stream of items")
    found = body.get("items") if isinstance(body, dict) else body
    if not isinstance(found, list):
        raise member.unreadable_error("no list `items` in it")
    return found


def item_row(market: str, item: Any, tally: SignalCounter) -> items.Row | None:
    """The row of one item; None for another market's. Raises RecordError."""
    native = _native_id(item)
    record = JsonRecord(item, tally, native)
    record.ignore(*_IGNORED, "news_id")
    author, properties, content = (record.child(name) for name in ("author", "properties", "content"))
    author.ignore(*_OF_AUTHOR)
    content.ignore(*_OF_CONTENT)
    properties.ignore("scopes")
    name = news_text.to_plain_text(author.text("name"))
    said = issuer_evidence.IssuerEvidence(
        numbers=issuer_evidence.parse_references(author.texts("local_refs")),
        leis=issuer_evidence.valid_leis(author.texts("leis")),
        isins=issuer_evidence.valid_isins(author.texts("isins")),
        symbols=issuer_evidence.parse_symbols(author.texts("tickers")),
    )
    language, kind, tags = properties.text("lang"), properties.text("type"), properties.texts("tags")
    title = _item_title(content)
    found = {
        "id": native,
        "group": _valid_key(record.text("group_id")),
        "corrects": _corrected_id(tags),
        "title": title,
        "url": news_text.web_address(record.text("url")),
        "publisher": PUBLISHER,
        "language": language if language and _LANGUAGE.fullmatch(language) else None,
        "published_at": _publication_time(content),
        "subjects": sorted({*tags, *filter(None, [kind])}),
        "kind": ";".join(sorted(tags)),
        "categories": categories.map_categories([*tags, kind, *filter(categories.is_holding_notice, [title])]),
        "author": name,
        "entity": _valid_key(author.text("entity_id")),
    }
    record.close()
    issuer = issuer_evidence.issuer_for_market(market, said, HOME)
    if issuer is None:
        tally.add("other_market", " ".join(sorted(said.markets())) or "not said", native)
        return None
    return found | issuer.columns()


def _native_id(item: Any) -> str:
    native = item.get("news_id") if isinstance(item, dict) else None
    key = _valid_key(native if isinstance(native, str) else None)
    if key is None:
        raise RecordError("news_id", f"expected an id, not {str(native)[:60]!r}")
    return key


def _valid_key(text: str | None) -> str | None:
    return text if text is not None and _KEY.fullmatch(text) else None


def _item_title(content: JsonRecord) -> str:
    title = news_text.to_plain_text(content.need("title"))
    if title is None:
        raise RecordError("content.title", "is blank")
    return title


def _publication_time(content: JsonRecord) -> Any:
    written = content.need("publish_date")
    published = news_text.parse_instant(written)
    if published is None:
        raise RecordError("content.publish_date", f"is not a time with a zone: {written[:40]}")
    return published


def _corrected_id(tags: list[str]) -> str | None:
    """The item named by a correction; the bare tag `:correction` names none."""
    return next((_valid_key(tag.removeprefix(_CORRECTS)) for tag in tags if tag.startswith(_CORRECTS)), None)


def mfn_dataset(market: str) -> Dataset:
    """The dataset of one market."""
    made = wire_table(market, SOURCE)
    return Dataset(
        key=f"{market.lower()}.{SOURCE}",
        title="MFN: releases of Nordic issuers",
        licence=LICENCE,
        cadence=Cadence(cron="*/20 5-20 * * *", stale_after_hours=96),
        guard_limits=GuardLimits(max_rejected=0.05),
        host=fetch.HOST,
        staged_tables={made.name: made},
        file_patterns=("mfn/**",),
        recognise_file=recognise_file,
        read_batches=partial(read_batches, market, made),
        fetch=fetch.fetch_stream,
    )
