"""Feeds of authorities, written by hand after docs/formats/news.md 1."""

import io
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope

LEI = "549300A0JPRWG1KI7U06"  # check digits hold
OTHER_LEI = "7LTWFZYICNSX8D621K86"
Reading = Callable[[Dataset, bytes], Batch]
Members = dict[str, str]


def piece_of(dataset: Dataset, body: bytes) -> ArchiveMember:
    """A body as a piece of a dataset."""
    at = datetime(2026, 11, 20, tzinfo=UTC)
    return ArchiveMember(dataset.key, "feed.xml", "0" * 64, at, Scope.FEED, "b", lambda: io.BytesIO(body))


def rss(items: Sequence[Members], title: str = "News") -> bytes:
    """A feed; members by element name, `category` several parted by `|`."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<rss xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0">'
        f"<channel><title>{escape(title)}</title>{''.join(map(_item, items))}</channel></rss>"
    ).encode()


def _item(members: Members) -> str:
    parts = [
        f"<{name}>{escape(text, quote=False)}</{name}>"
        for name, whole in members.items()
        for text in (whole.split("|") if name == "category" else [whole])
    ]
    return f"<item>{''.join(parts)}</item>"


def sanction(**more: Any) -> dict[str, Any]:
    """A document of ESMA's register of sanctions."""
    return {
        "id": "1",
        "sn_sanctionEsmaID": "SAN1",
        "sn_entityName": "<b>Esimerkki Oyj</b>",
        "sn_entityLEI": LEI,
        "sn_sanctionLegalFrameworkName": "MAR",
        "sn_natureFullName": "Administrative pecuniary sanction",
        "sn_date": "2026-02-03T00:00:00Z",
        "sn_text": "<p>Seuraamusmaksu <b>200 000 euroa</b>: Ann Example</p>",
        "sn_ncaCodeFullName": "Finanssivalvonta (FIN-FSA)",
        "sn_countryName": "FINLAND",
    } | more


def solr(*documents: dict[str, Any]) -> bytes:
    """An answer of its Solr core."""
    response = {"numFound": len(documents), "start": 0, "docs": list(documents)}
    return json.dumps({"responseHeader": {"status": 0}, "response": response}).encode()
