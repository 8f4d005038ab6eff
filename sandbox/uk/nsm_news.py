"""Announcements of a world's British issuers in the National Storage Mechanism (docs/formats/news.md 2.4).

Does not belong here: which releases exist (`companies.releases`), major holding notices and
the search (`nsm_http`).
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

from sandbox.companies import releases
from sandbox.model.news import PressRelease
from sandbox.shared.gleif_http import company_lei
from sandbox.world import World

_TYPE: Final = "Miscellaneous"
_LATER: Final = timedelta(minutes=12)  # delay of the mechanism after the wire
Source = dict[str, Any]


def announcement_id(release: PressRelease) -> str:
    """Id of an announcement in the mechanism."""
    return f"RNS-{release.serial}"


def announcement_hits(world: World, day: int, begin: date, end: date) -> list[tuple[str, Source]]:
    """Ids and fields of announcements submitted from `begin` up to but excluding `end`."""
    return [
        (announcement_id(release), _hit_source(release))
        for release in releases.releases_until(world, "UK", day)
        if release.wires[0] == "nsm" and begin <= (release.at + _LATER).date() < end
    ]


def find_announcement(world: World, day: int, identity: str) -> Source | None:
    """Finds one announcement by its id."""
    found = (one for one in releases.releases_until(world, "UK", day) if announcement_id(one) == identity)
    return next((_hit_source(release) for release in found), None)


def _hit_source(release: PressRelease) -> Source:
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
        "lei": company_lei(release.company),
        "company": f"{release.company.name};",
        "headline": release.titles["en"],
        "disclosure_id": announcement_id(release),
        "seq_id": announcement_id(release),
        "download_link": f"NSM/RNS/{announcement_id(release)}.html",
    }
