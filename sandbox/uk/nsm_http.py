"""Simulates the FCA's National Storage Mechanism for a sandbox world, without HTTP: search and texts.

See docs/formats/uk.md 10.3, docs/formats/news.md 2.4.

A world's issuers with press announce in it. No company of a world has a notifying major holder: the announcements
of holdings are of an issuer missing from the register, one per weekday, so that fetching, parsing and linking run
without publishing a holding. The client's clock may be
far ahead of the world's days, so every requested weekday has one. Does not belong here: which releases
exist (`companies.releases`), routes and HTTP (`http.routes`, `http.server`).
"""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any, Final

from sandbox.companies import releases
from sandbox.model.news import PressRelease
from sandbox.shared.gleif_http import company_lei
from sandbox.shared.response import JSON, Query, SandboxResponse, compile_routes, json_response
from sandbox.world import World

SEARCH: Final = "/search"
_LEI: Final = "969500GB00000SANDX64"
_TYPE: Final = "Holding(s) in Company"
_SATURDAY: Final = 5
_DAY: Final = timedelta(days=1)
_LATER: Final = timedelta(minutes=12)  # delay of the mechanism after the wire
_TEXT: Final = """TR-1: Standard form for notification of major holdings
1. Issuer Details
ISIN
GG00SANDBOX5
Issuer Name
SANDBOX METALS PLC
UK or Non-UK Issuer
UK
2. Reason for Notification
An acquisition or disposal of voting rights
3. Details of person subject to the notification obligation
Name
Sample Asset Management Ltd
City of registered office (if applicable)
Exampleton
Country of registered office (if applicable)
United Kingdom
4. Details of the shareholder
Full name of shareholder(s) if different from the person(s) subject to the notification obligation, above
5. Date on which the threshold was crossed or reached
{day:%d-%b-%Y}
6. Date on which Issuer notified
{day:%d-%b-%Y}
7. Total positions of person(s) subject to the notification obligation
.
Resulting situation on the date on which threshold was crossed or reached
{share}.120000
0.000000
{share}.120000
9876543
Position of previous notification (if applicable)
4.990000
0.000000
4.990000
8. Notified details of the resulting situation on the date on which the threshold was crossed or reached
"""


def search_response(world: World, day: int, path: str, body: bytes) -> SandboxResponse | None:
    """Hits of a search by submission days; None for another path. Dates with milliseconds get status 400."""
    if path != SEARCH:
        return None
    criteria = json.loads(body)["criteriaObj"]["dateCriteria"]
    span = criteria[0]["value"]
    if any("." in text for text in span.values()):
        return SandboxResponse(400, JSON, b'{"message":"failed to parse date field"}')
    begin, end = (date.fromisoformat(span[side][:10]) for side in ("from", "to"))
    return SandboxResponse(200, JSON, submission_hits(world, day, begin, end))


def submission_hits(world: World, day: int, begin: date, end: date) -> bytes:
    """Hits from `begin` up to but excluding `end`."""
    found = [_search_hit(*one) for one in _announcement_hits(world, day, begin, end)]
    while begin < end:
        if begin.weekday() < _SATURDAY:
            found.append(_search_hit(f"RNS-{begin}", _hit_source(begin)))
        begin += _DAY
    shards = {"total": 4, "successful": 4, "skipped": 0, "failed": 0}
    hits = {"total": {"value": len(found), "relation": "eq"}, "max_score": None, "hits": found}
    return json.dumps({"took": 77, "timed_out": False, "_shards": shards, "hits": hits}).encode()


def _search_hit(identity: str, source: dict[str, Any]) -> dict[str, Any]:
    return {"_index": "fca-nsm-searchdata", "_type": "_doc", "_id": identity, "_score": None, "_source": source}


def _hit_source(day: date) -> dict[str, Any]:
    return {
        "submitted_date": f"{day}T07:00:04.120Z",
        "publication_date": f"{day}T07:00:00.000Z",
        "document_date": day.isoformat(),
        "source": "RNS",
        "type": _TYPE,
        "type_code": "HOL",
        "lei": _LEI,
        "company": "SANDBOX METALS PLC;",
        "headline": _TYPE,
        "seq_id": f"RNS-{day}",
        "disclosure_id": f"RNS-{day}",
        "hist_seq": "1",
        "latest_flag": "Y",
        "last_updated_date": f"{day}T07:00:04.120Z",
        "lei_remediation_flag": "N",
        "related_org": [],
        "tag_esef": "",
        "classifications": "",
        "classifications_code": "",
        "download_link": f"NSM/RNS/{day}.html",
        "html_link": f"NSM/RNS/{day}.html",
    }


def announcement_id(release: PressRelease) -> str:
    """Id of an announcement in the mechanism."""
    return f"RNS-{release.serial}"


def _announcement_hits(world: World, day: int, begin: date, end: date) -> list[tuple[str, dict[str, Any]]]:
    """Ids and fields of announcements submitted from `begin` up to but excluding `end`."""
    return [
        (announcement_id(release), _announcement_source(release))
        for release in releases.releases_until(world, "UK", day)
        if release.wires[0] == "nsm" and begin <= (release.at + _LATER).date() < end
    ]


def _announcement_source(release: PressRelease) -> dict[str, Any]:
    return {
        "submitted_date": f"{release.at + _LATER:%Y-%m-%dT%H:%M:%S}.120Z",
        "publication_date": f"{release.at:%Y-%m-%dT%H:%M:%S}Z",
        "document_date": f"{release.at:%Y-%m-%d}",
        "last_updated_date": f"{release.at + _LATER:%Y-%m-%dT%H:%M:%S}.120Z",
        "source": "RNS",
        "type": "Miscellaneous",
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


def _details_response(_world: World, _day: int, _query: Query, identity: str) -> SandboxResponse:
    day = date.fromisoformat(identity)
    text = _TEXT.format(day=day, share=5 + day.day % 3)
    return json_response(
        {
            "_index": "fca-nsm-searchdata",
            "_id": f"RNS-{day}",
            "found": True,
            "_source": _hit_source(day) | {"document_content": text},
        }
    )


ROUTES: Final = compile_routes({r"/details/RNS-(\d{4}-\d\d-\d\d)": _details_response})
