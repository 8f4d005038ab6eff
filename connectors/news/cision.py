"""Dataset `<cc>.cision`: the feed of one issuer, by a key of the issuer's own, in JSON (docs/formats/news.md 2.10).

The key is embedded in a page of the issuer's, so feeds are read as files; MFN mirrors most of them. A response
does not name its issuer: the URL of a release at news.cision.com does, by a short name, and tickers if it has
them. Times without a zone are rejected: feeds configured that way write the same field in local words. Does not
belong here: the issuer of an item (`issuer_evidence`).
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
from connectors.news import bodies, categories, issuer_evidence, items, text
from connectors.news.schema import wire_table
from warehouse.schema.types import Table

SOURCE: Final = "cision"
HOST: Final = "publish.ne.cision.com"
PUBLISHER: Final = "Cision"
HOME: Final = "SE"
LICENCE: Final = Licence("Cision terms: title, link and publisher", "https://news.cision.com", "Source: Cision")
_OURS: Final = re.compile(rb'"(?:Releases|Release)"\s*:\s*[\[{]')
_COMPANY: Final = re.compile(r"https?://news\.cision\.com/(?:[a-z]{2}/)?([a-z0-9-]{2,80})/r/")
_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")
_LANGUAGE: Final = re.compile(r"[a-z]{2}")
# our words by InformationType; the others are used unchanged
_KINDS: Final = {"RPT": "earnings report", "KMK": "year-end report", "RDV": "regulatory disclosure"}
_ADDRESSES: Final = ("PublicUrl", "CanonicalUrl", "CisionWireUrl")


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises feeds and single releases, in JSON."""
    head = decompressed_head(head)
    if detect_body_format(head) is BodyFormat.JSON and not _OURS.search(head):
        return NotApplicable("JSON without releases (an error, another interface)")
    return RecognisedFile(None, Scope.PART)


def read_batches(market: str, staged_table: Table, member: ArchiveMember) -> Iterator[Batch]:
    """One batch: the releases of a feed with issuers of this market."""
    yield items.make_items_batch(member, staged_table, _decode_releases(member), partial(_release_row, market))


def _decode_releases(piece: ArchiveMember) -> list[Any]:
    found = bodies.decode_member(piece, "a feed of releases")
    releases = found.get("Releases") if isinstance(found, dict) else None
    if isinstance(found, dict) and isinstance(found.get("Release"), dict):
        return [found["Release"]]
    if not isinstance(releases, list):
        raise piece.unreadable_error("no list `Releases` in it")
    return releases


def _release_row(market: str, item: Any, tally: SignalCounter) -> items.Row | None:
    """The few fields kept of a release: the rest is text, pictures and files."""
    record = JsonRecord(item, tally, str(item.get("EncryptedId")) if isinstance(item, dict) else "")
    native = record.need("EncryptedId").strip()
    if not _ID.fullmatch(native):
        raise RecordError("EncryptedId", f"expected an id, not {native[:60]!r}")
    title, published = (text.to_plain_text(record.need("Title")), text.parse_instant(record.need("PublishDate")))
    if title is None or published is None:
        missing = ("Title", "is blank") if title is None else ("PublishDate", "is not a time with a zone")
        raise RecordError(*missing)
    urls = [text.web_address(record.text(name)) for name in _ADDRESSES]
    kind, language = record.text("InformationType") or "", (record.text("LanguageCode") or "").lower()
    tickers = record.children("Tickers")
    said = issuer_evidence.IssuerEvidence(
        isins=issuer_evidence.valid_isins(one.text("ISIN") or one.text("Isin") or "" for one in tickers)
    )
    issuer = issuer_evidence.issuer_for_market(market, said, HOME)
    if issuer is None:
        tally.add("other_market", " ".join(sorted(said.markets())), native)
        return None
    company = next((found[1] for url in urls if url and (found := _COMPANY.match(url))), None)
    return {
        "id": f"cision:{native}",
        "title": title,
        "url": next(filter(None, urls), None),
        "publisher": PUBLISHER,
        "language": language if _LANGUAGE.fullmatch(language) else None,
        "published_at": published,
        "subjects": [kind] if kind else [],
        "kind": kind,
        "categories": categories.map_categories([_KINDS.get(kind)], title),
        "author": company.replace("-", " ") if company else None,
        **issuer.columns(),
    }


def cision_dataset(market: str) -> Dataset:
    """The dataset of one market."""
    made = wire_table(market, SOURCE)
    return Dataset(
        key=f"{market.lower()}.{SOURCE}",
        title="Cision: releases of single issuers",
        licence=LICENCE,
        cadence=Cadence(cron="55 5 * * *", stale_after_hours=24 * 30),
        guard_limits=GuardLimits(max_rejected=0.05),
        host=HOST,
        staged_tables={made.name: made},
        file_patterns=("cision/**",),
        recognise_file=recognise_file,
        read_batches=partial(read_batches, market, made),
    )
