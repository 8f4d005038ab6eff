"""Authentication: keys as bearer tokens, or as passwords where a route takes these, looked up by digest and cached.

See docs/contract/keys-and-limits.md 3.1. Belongs here: from the Authorization header to a `Caller` or a 401.
Does not belong here: authorisation (`api.http.access_control`), rate limits (`api.rate_limits.limiter`), or SQL
(`api.accounts.repository`).
"""

import asyncio
import logging
import secrets
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from api.auth.api_keys import KeyKind, KeyRecord, key_digest, key_kind
from api.common.clock import Clock
from api.problems.problem import ProblemError, new_problem, service_unavailable_problem
from api.rate_limits.limiter import AccountLimits

_LOGGER: Final = logging.getLogger("firm.api")
_REALM: Final = b'Bearer realm="firm"'
_WITHOUT_DATABASE_SECONDS: Final = 900.0
"""Keys cannot be revoked while the database is unavailable, so a key that worked stays valid for this long."""
_AGAIN_SECONDS: Final = 5.0
MAX_KNOWN_CALLERS: Final = 50_000  # callers; a few hundred bytes each
_RETRY_AFTER: Final = 2

Lookup = Callable[[bytes], KeyRecord | None]
"""Blocks; does the same work for known, unknown, revoked and expired keys."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The account and key behind a request."""

    account_id: str
    key_id: str
    kind: KeyKind
    account_status: str
    domains: tuple[str, ...]
    expires_at: datetime | None
    account_limits: AccountLimits
    """Usage and limits of the account."""


@dataclass(frozen=True, slots=True)
class _CachedCaller:
    caller: Caller
    until: float
    """When the key must be looked up again."""
    latest: float
    """Until when the key stays valid if it cannot be looked up."""


@dataclass(repr=False, eq=False)
class Authenticator:
    """Resolves keys to callers.

    `lookup` blocks, so it runs in a thread; results are cached for `cache_seconds`. The cache key is a digest
    of the header, keyed per process: no API key stays in memory longer than its request. (The stored digest is
    slower and only computed for the look-up.)
    """

    lookup: Lookup
    limits_of_account: Callable[[str, str, int, int], AccountLimits]
    pepper: bytes
    clock: Clock
    cache_seconds: float

    def __post_init__(self) -> None:
        self._digest = blake2b(key=secrets.token_bytes(32), digest_size=16)
        self._known: OrderedDict[bytes, _CachedCaller] = OrderedDict()
        self._asking: dict[bytes, asyncio.Future[Caller]] = {}

    def cached_caller(self, authorization: bytes | None) -> Caller | None:
        """The cached caller for a header; None: use `caller`."""
        if authorization is None:
            return None
        known = self._known.get(self._cache_key(authorization))
        if known is None or known.until <= self.clock.monotonic():
            return None
        ends = known.caller.expires_at
        return None if ends is not None and ends <= self.clock.now() else known.caller

    def has_authenticated_before(self, authorization: bytes | None) -> bool:
        """True if the key worked at its last look-up, however long ago."""
        return authorization is not None and self._cache_key(authorization) in self._known

    def is_looking_up(self, authorization: bytes | None) -> bool:
        """True if the key is being looked up now; further callers share that result."""
        return authorization is not None and self._cache_key(authorization) in self._asking

    async def authenticate_key(self, authorization: bytes | None) -> Caller:
        """Returns the caller, or raises a 401 `ProblemError`. Unknown and mistyped keys get the same response.

        Concurrent requests (a page opening) share one look-up.
        """
        key = _bearer_token(authorization or b"")
        if key_kind(key) is None:  # a typing error costs no look-up
            raise _unknown_key_problem()
        seen_as = self._cache_key(authorization or b"")
        asking = self._asking.get(seen_as)
        if asking is None:
            asking = asyncio.ensure_future(self._look_up_key(key, seen_as))
            self._asking[seen_as] = asking
            asking.add_done_callback(lambda ended: self._on_lookup_done(seen_as, ended))
        return await asyncio.shield(asking)

    def _on_lookup_done(self, seen_as: bytes, ended: "asyncio.Future[Caller]") -> None:
        del self._asking[seen_as]
        if not ended.cancelled():
            ended.exception()  # marks the exception as retrieved, even if all waiting requests are gone

    async def _look_up_key(self, key: str, seen_as: bytes) -> Caller:
        try:
            record = await asyncio.to_thread(self.lookup, key_digest(key, self.pepper))
        except SQLAlchemyError as error:
            return self._stale_caller(seen_as, error)
        trouble = _key_problem(record, self.clock.now())
        if record is None or trouble is not None:
            self._known.pop(seen_as, None)
            raise trouble or _unknown_key_problem()
        caller = Caller(
            record.account_id,
            record.key_id,
            record.kind,
            record.account_status,
            record.domains,
            record.expires_at,
            self.limits_of_account(record.account_id, record.tier, record.month, record.used),
        )
        until = self.clock.monotonic() + self.cache_seconds
        self._known[seen_as] = _CachedCaller(caller, until, until + _WITHOUT_DATABASE_SECONDS)
        self._known.move_to_end(seen_as)
        if len(self._known) > MAX_KNOWN_CALLERS:
            self._known.popitem(last=False)
        return caller

    def _stale_caller(self, seen_as: bytes, error: SQLAlchemyError) -> Caller:
        """Cached caller while the database is unavailable; 503 for keys that have not worked here before."""
        known, now = self._known.get(seen_as), self.clock.monotonic()
        if known is None or known.latest <= now:
            # without a look-up a key is neither valid nor invalid: 503, not 401
            raise service_unavailable_problem("Keys cannot be checked at the moment.", _RETRY_AFTER) from error
        trouble = _expiry_problem(known.caller.expires_at, self.clock.now())
        if trouble is not None:
            raise trouble from error
        _LOGGER.warning("keys cannot be looked up: recently used keys keep working", exc_info=error)
        self._known[seen_as] = replace(known, until=now + _AGAIN_SECONDS)
        return known.caller

    def _cache_key(self, authorization: bytes) -> bytes:
        digest = self._digest.copy()
        digest.update(authorization)
        return digest.digest()


def _key_problem(record: KeyRecord | None, now: datetime) -> ProblemError | None:
    """Reason a looked-up key is refused; None if it is valid."""
    if record is None:
        return _unknown_key_problem()
    if record.revoked_at is not None:
        return _rejected_key_problem(
            "revoked_api_key", f"This key was revoked on {record.revoked_at:%Y-%m-%d}. Use another key."
        )
    return _expiry_problem(record.expires_at, now)


def _expiry_problem(expires_at: datetime | None, now: datetime) -> ProblemError | None:
    if expires_at is None or expires_at > now:
        return None
    return _rejected_key_problem("expired_api_key", f"This key expired on {expires_at:%Y-%m-%d}.")


def _bearer_token(authorization: bytes) -> str:
    scheme, _, credentials = authorization.partition(b" ")
    credentials = credentials.strip()
    if scheme.lower() != b"bearer" or not credentials:
        headers = [(b"www-authenticate", _REALM)]
        raise new_problem("missing_api_key", "Send 'Authorization: Bearer <API_KEY>'.", headers=headers)
    return credentials.decode("latin-1")


def basic_as_bearer(authorization: bytes | None) -> bytes | None:
    """A Basic header as the Bearer header with its password; any other header as it is.

    The key is the password because servers and proxies log user names; the user name is not read.
    """
    scheme, _, credentials = (authorization or b"").partition(b" ")
    if scheme.lower() != b"basic":
        return authorization
    try:
        _, _, password = b64decode(credentials.strip(), validate=True).partition(b":")
    except ValueError:
        return authorization
    return b"Bearer " + password


def _unknown_key_problem() -> ProblemError:
    return _rejected_key_problem("invalid_api_key", "The key is unknown or mistyped.")


def _rejected_key_problem(code: str, detail: str) -> ProblemError:
    return new_problem(code, detail, headers=[(b"www-authenticate", _REALM + b', error="invalid_token"')])
