"""Announcements of a world's British issuers in the National Storage Mechanism (docs/formats/news.md 2.4).

Does not belong here: which releases exist (`press`), major holding notices and the search (`nsm_desk`).
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

from connectors.sandbox import press
from connectors.sandbox.gleif_desk import lei_of
from connectors.sandbox.model_press import Release
from connectors.sandbox.world import World

_TYPE: Final = "Miscellaneous"
_LATER: Final = timedelta(minutes=12)  # delay of the mechanism after the wire
Source = dict[str, Any]


def key_of(release: Release) -> str:
    """Id of an announcement in the mechanism."""
    return f"RNS-{release.serial}"


def hits(world: World, day: int, begin: date, end: date) -> list[tuple[str, Source]]:
    """Ids and fields of announcements submitted from `begin` up to but excluding `end`."""
    return [
        (key_of(release), _source(release))
        for release in press.releases(world, "UK", day)
        if release.wires[0] == "nsm" and begin <= (release.at + _LATER).date() < end
    ]


def find(world: World, day: int, identity: str) -> Source | None:
    """Finds one announcement by its id."""
    found = (one for one in press.releases(world, "UK", day) if key_of(one) == identity)
    return next((_source(release) for release in found), None)


def _source(release: Release) -> Source:
    return {
        "submitted_date": f"{release.at + _LATER:%Y-%m-%dT%H:%M:%S}.120Z",
        "publication_date": f"{release.at:%Y-%m-%dT%H:%M:%S}Z",
        "document_date": f"{release.at:%Y-%m-%d}",
        "last_updated_date": f"{release.at + _LATER:%Y-%m-%dT%H:%M:%S}.120Z",
        "source": "RNS",
        "type": _TYPE,
        "type_code": "MSC",
        "tag_esef": "",
        "classifications": "",
        "classifications_code": "",
        "related_org": [],
        "lei_remediation_flag": "N",
        "latest_flag": "Y",
        "hist_seq": "1",
        "lei": lei_of(release.company),
        "company": f"{release.company.name};",
        "headline": release.titles["en"],
        "disclosure_id": key_of(release),
        "seq_id": key_of(release),
        "download_link": f"NSM/RNS/{key_of(release)}.html",
    }
