"""Who is calling: bearer keys, looked up by digest and believed for a while (KEYS_AND_LIMITS 3.1).

Belongs here: from the Authorization header to a `Caller` or a 401. Does not belong here: what the caller
may do (`api.admission`), how much (limits), or SQL (`api.db.repositories`).
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from api.clock import Clock
from api.db.records import KeyRecord
from api.keys import Kind, digest_of, kind_of
from api.problems import Problem, problem

_REALM: Final = b'Bearer realm="firm"'
_CACHED: Final = 50_000  # callers; a few hundred bytes each

Lookup = Callable[[bytes], KeyRecord | None]


@dataclass(frozen=True, slots=True)
class Caller:
    """The account and key behind a request."""

    account_id: str
    key_id: str
    kind: Kind
    tier: str
    account_status: str
    domains: tuple[str, ...]
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Known:
    caller: Caller
    until: float


class Authenticator:
    """Turns keys into callers. `lookup` blocks, so it runs in a thread; its finds are kept `cache_seconds`.

    What is kept is found by the whole header: a digest per request would cost as much as the look-up of a
    profile.
    """

    def __init__(self, lookup: Lookup, pepper: bytes, clock: Clock, cache_seconds: float) -> None:
        self._lookup = lookup
        self._pepper = pepper
        self._clock = clock
        self._cache_seconds = cache_seconds
        self._known: OrderedDict[bytes, _Known] = OrderedDict()

    def known(self, authorization: bytes | None) -> Caller | None:
        """The caller behind a header seen lately; None: ask `caller`."""
        known = self._known.get(authorization or b"")
        if known is None or known.until <= self._clock.monotonic():
            return None
        self._check_end(known.caller)
        return known.caller

    async def caller(self, authorization: bytes | None) -> Caller:
        """The caller, or a 401 `Problem`. Unknown and mistyped keys are answered alike."""
        known = await self._ask(authorization or b"")
        self._check_end(known.caller)
        return known.caller

    def _check_end(self, caller: Caller) -> None:
        if caller.expires_at is not None and caller.expires_at <= self._clock.now():
            raise _refused("expired_api_key", f"This key expired on {caller.expires_at:%Y-%m-%d}.")

    async def _ask(self, authorization: bytes) -> _Known:
        self._known.pop(authorization, None)
        key = _bearer(authorization)
        if kind_of(key) is None:  # a typing error costs no look-up
            raise _refused("invalid_api_key", "The key is unknown or mistyped.")
        record = await asyncio.to_thread(self._lookup, digest_of(key, self._pepper))
        if record is None:
            raise _refused("invalid_api_key", "The key is unknown or mistyped.")
        if record.revoked_at is not None:
            raise _refused(
                "revoked_api_key", f"This key was revoked on {record.revoked_at:%Y-%m-%d}. Use another key."
            )
        known = _Known(_caller(record), self._clock.monotonic() + self._cache_seconds)
        self._known[authorization] = known
        if len(self._known) > _CACHED:
            self._known.popitem(last=False)
        return known


def _caller(record: KeyRecord) -> Caller:
    return Caller(
        account_id=record.account_id,
        key_id=record.key_id,
        kind=record.kind,
        tier=record.tier,
        account_status=record.account_status,
        domains=record.domains,
        expires_at=record.expires_at,
    )


def _bearer(authorization: bytes) -> str:
    scheme, _, credentials = authorization.partition(b" ")
    credentials = credentials.strip()
    if scheme.lower() != b"bearer" or not credentials:
        trouble = problem("missing_api_key", "Send 'Authorization: Bearer <API_KEY>'.")
        trouble.headers = [(b"www-authenticate", _REALM)]
        raise trouble
    return credentials.decode("latin-1")


def _refused(code: str, detail: str) -> Problem:
    trouble = problem(code, detail)
    trouble.headers = [(b"www-authenticate", _REALM + b', error="invalid_token"')]
    return trouble
