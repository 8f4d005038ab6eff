"""The keyed REST API of Companies House on one day of a world, without HTTP (docs/formats/uk.md 5).

Belongs here: paths and queries -> responses about one company, pages, the key, and 600 requests in five minutes.
Does not belong here: the content of a response (`rest_resources`), sockets (`http.server`); search, officers and
documents are not simulated.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.shared.response import JSON, Query, SandboxResponse, json_response
from sandbox.uk import rest_resources
from sandbox.uk.rest_resources import FILINGS, PSC, STATEMENTS
from sandbox.uk.stream_http import REFUSED, basic_authorization
from sandbox.world import World

HOST: Final = "api.company-information.service.gov.uk"
KEY: Final = "sandbox-rest-key"
PATHS: Final = re.compile(r"/company/([^/]+)(?:/(.+))?")
_USUAL: Final = 25
_MOST: Final = 100
_LISTS: Final = {"filing-history": FILINGS, PSC: PSC, STATEMENTS: STATEMENTS}
_OK: Final = 200
Record = dict[str, Any]


@dataclass(slots=True)
class RequestQuota:
    """The remaining requests of a key in its window. `clock`: seconds from any origin."""

    allowed: int = 600
    seconds: float = 300.0
    clock: Callable[[], float] = time.time
    _ends: float = 0.0
    _used: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def spend(self) -> tuple[bool, Mapping[str, str]]:
        """Whether one more request is allowed, and the rate limit headers."""
        with self._lock:
            if self.clock() >= self._ends:
                self._ends, self._used = self.clock() + self.seconds, 0
            is_allowed = self._used < self.allowed
            self._used += is_allowed
            return is_allowed, {
                "X-Ratelimit-Limit": str(self.allowed),
                "X-Ratelimit-Remain": str(self.allowed - self._used),
                "X-Ratelimit-Reset": str(int(self._ends)),
                "X-Ratelimit-Window": f"{self.seconds / 60:.0f}m",
            }


@dataclass(slots=True)
class RestApi:
    """The API of a running sandbox. `key`: the key that callers must send."""

    key: str = KEY
    quota: RequestQuota = field(default_factory=RequestQuota)

    def reply(self, world: World, day: int, match: re.Match[str], query: Query, authorization: str) -> SandboxResponse:
        """The response about one company; 401 first, then 429, then the resource."""
        if authorization != basic_authorization(self.key):
            return REFUSED
        is_allowed, headers = self.quota.spend()
        if not is_allowed:
            return SandboxResponse(429, JSON, b"", headers=headers)
        status, body = _resource_or_error(world, day, match[1], match[2] or "", query)
        return json_response(body, status, headers=headers)


def _resource_or_error(world: World, day: int, number: str, part: str, query: Query) -> tuple[int, Record]:
    company = world.find("UK", number, day)
    if company is None:
        return _not_found_body("company-profile")
    resources = rest_resources.company_resources(world, company.position, day)
    path = f"/company/{number}" + (f"/{part}" if part else "")
    if part in _LISTS:
        found = [one.data for one in resources.values() if one.stream == _LISTS[part]]
        if not found:
            return _not_found_body(f"company-{part}")
        return _OK, (_filing_history_body if part == "filing-history" else _persons_body)(path, found, query)
    if path in resources:
        return _OK, resources[path].data
    return _not_found_body(f"company-{part}")


def _not_found_body(what: str) -> tuple[int, Record]:
    return 404, {"errors": [{"error": f"{what}-not-found", "type": "ch:service"}]}


def _page_slice(found: list[Record], query: Query) -> tuple[list[Record], Record]:
    size = min(int(query.get("items_per_page", _USUAL)), _MOST)
    start = int(query.get("start_index", 0))
    return found[start : start + size], {"items_per_page": size, "start_index": start}


def _filing_history_body(_path: str, found: list[Record], query: Query) -> Record:
    wanted = query.get("category")
    asked = [item for item in found if wanted is None or item["category"] in wanted.split(",")]
    items, page = _page_slice(asked, query)
    return {"filing_history_status": "filing-history-available", "items": items, "total_count": len(asked), **page}


def _persons_body(path: str, found: list[Record], query: Query) -> Record:
    items, page = _page_slice(found, query)
    ceased = sum("ceased_on" in item for item in found)
    return {
        "active_count": len(found) - ceased,
        "ceased_count": ceased,
        "items": [{**item, "ceased": True} if "ceased_on" in item else item for item in items],
        "links": {"self": path},
        "total_results": len(found),
        **page,
    }
