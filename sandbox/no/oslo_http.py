"""Responses of NewsWeb, Euronext and the group structure for a sandbox world, without HTTP.

See docs/formats/no.md 5, 8, 9.

Belongs here: envelopes, formats and status codes. No company of a world is listed in Oslo or in a group: lists hold
foreign issuers, which link to no company. Does not belong here: routes and HTTP (`http.routes`, `http.server`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from sandbox.numbers import sandbox_isin
from sandbox.shared.response import JSON, Query, SandboxResponse, compile_routes, json_response
from sandbox.world import World

_CSV: Final = "text/csv;charset=UTF-8"
_HEADER: Final = (
    'Name;ISIN;Symbol;Market;Currency;"Open Price";"High Price";"low Price";"last Price";"last Trade MIC Time";'
    '"Time Zone";Volume;Turnover;"Closing Price";"Closing Price DateTime"'
)
_SHARES: Final = (
    ("SANDBOX SHIPPING", sandbox_isin("BMG00000001"), "SBXS", "Oslo Børs"),
    ("SANDBOX DRILLING", sandbox_isin("BMG00000002"), "SBXD", "Euronext Growth Oslo"),
)
_CATEGORIES: Final = (
    {
        "id": 1104,
        "category_no": "IKKE-INFORMASJONSPLIKTIGE PRESSEMELDINGER",
        "category_en": "NON-REGULATORY PRESS RELEASES",
    },
)


def _envelope_response(data: Mapping[str, Any]) -> SandboxResponse:
    header = {"OB_REQUEST_ID": "sandbox", "result.val": 0, "http.code": 200, "result.text": "OK"}
    return json_response({"header": header, "data": data})


def _base_urls(_world: World, _day: int, _query: Query) -> SandboxResponse:
    return SandboxResponse(200, JSON, b'{"api_large":"https://newsweb.oslobors.no"}')


def _message_list(world: World, day: int, query: Query) -> SandboxResponse:
    """One press release per day, of an issuer in no register."""
    begin, end = query.get("fromDate", ""), query.get("toDate", "")
    days = [world.date(day) - timedelta(days=back) for back in range(3)]
    messages = [
        _message_record(600_000 + when.toordinal(), f"{when.isoformat()}T07:00:00.000Z")
        for when in days
        if begin <= when.isoformat() <= end
    ]
    return _envelope_response({"messages": messages, "overflow": False})


def _message_record(number: int, published: str) -> dict[str, Any]:
    return {
        "id": number,
        "messageId": number,
        "newsId": number,
        "title": "Sandbox Shipping: contract awarded",
        "category": list(_CATEGORIES),
        "markets": ["XOSL"],
        "issuerId": 9001,
        "correctionForMessageId": 0,
        "correctedByMessageId": 0,
        "issuerSign": "SBXS",
        "issuerName": "Sandbox Shipping Ltd",
        "instrId": 0,
        "instrumentName": "",
        "instrumentFullName": "",
        "publishedTime": published,
        "test": False,
        "numbAttachments": 0,
        "clientAnnouncementId": f"00000000-0000-4000-8000-{number:012}",
        "infoRequired": 0,
        "oamMandatory": 0,
    }


def _equity_list(world: World, day: int, _query: Query) -> SandboxResponse:
    """The equities list: three lines of preamble follow the header."""
    rows = [f'{name};{isin};{symbol};"{market}";NOK;-;-;-;-;-;CET;-;-;-;-' for name, isin, symbol, market in _SHARES]
    note = "All datapoints provided as of end of last active trading day."
    lines = [_HEADER, '"European Equities"', f'"{world.date(day):%d %b %Y}"', f'"{note}"', *rows]
    return SandboxResponse(200, _CSV, ("\ufeff" + "\n".join(lines) + "\n").encode())


def _group_response(_world: World, _day: int, _query: Query, _number: str) -> SandboxResponse:
    """404 with an empty body: the company is in no group."""
    return SandboxResponse(404, JSON, b"")


ROUTES: Final = compile_routes(
    {
        r"/urls\.json": _base_urls,
        r"/v1/newsreader/list": _message_list,
        r"/pd_es/data/stocks/download": _equity_list,
        r"/enhetsregisteret/api/konsernstruktur/(\d{9})": _group_response,
    }
)
