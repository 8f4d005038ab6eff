"""Which attempts are repeated, and after how long. Pure: the clients wait.

429 and 503 wait as long as `Retry-After` says, other failures twice as long each time, with chance, so that clients do
not return at once. A request is repeated only where doing it twice does no harm: reads, and changes that carry an
`Idempotency-Key` or whose method is idempotent by definition. While the first attempt of such a change is still under
way, the next is answered by 409 with a `Retry-After`: it is repeated too, for only its answer says what was done.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from firmdata.errors import ApiError

IDEMPOTENT = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})
RETRIED = frozenset({408, 429, 500, 502, 503, 504})
SHORTEST_PAUSE = 0.1
"""Seconds before a stream that ended is opened again."""
LASTING_SECONDS = 15.0
"""A stream without an event that was open for so long was no failure: a comment came."""
_UNDER_WAY = 409
_ASKED = frozenset({_UNDER_WAY, 429, 503})
_NOT_FOUND = 404
_FIRST_FAILURE = 500
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True)
class RetryPolicy:
    """attempts: at most, the first included. longest: seconds that one wait may take; longer ones raise the error."""

    attempts: int = 4
    first: float = 0.5
    longest: float = 60.0
    chance: random.Random = field(default_factory=random.Random)

    def wait_after(self, attempt: int, status: int | None, headers: Mapping[str, str], now: float) -> float | None:
        """Seconds to wait before the next attempt; None: there is none.

        attempt: how many there have been. status: None if no answer came. now: Unix time.
        """
        asked = retry_after(headers, now) if status in _ASKED else None
        is_final = status is not None and status not in RETRIED and (status != _UNDER_WAY or asked is None)
        if attempt >= self.attempts or is_final:
            return None
        if asked is not None:
            return asked if asked <= self.longest else None
        return self._growing(attempt)

    def wait_after_end(self, failures: int, was_alive: bool) -> tuple[int, float]:
        """Failures in a row, and seconds until a stream is opened again that the service has ended.

        was_alive: whether it gave an event or lasted. One that ends as soon as it begins is a failure: else a service
        that ends every stream would be asked without a pause.
        """
        if was_alive:
            return 0, SHORTEST_PAUSE
        return failures + 1, self._growing(failures + 1)

    def _growing(self, failures: int) -> float:
        return min(self.longest, self.first * 2 ** min(failures - 1, 20)) * self.chance.uniform(0.5, 1.0)

    def wait_after_refusal(self, failures: int, error: Exception, now: float) -> float:
        """Seconds until a stream is opened again, which is tried for good; raises what the service refuses for good."""
        if not isinstance(error, ApiError):
            return self._growing(failures)
        if error.status not in RETRIED:
            raise error
        asked = {} if error.retry_after is None else {"Retry-After": f"{error.retry_after:f}"}
        wait = replace(self, attempts=failures + 1).wait_after(failures, error.status, asked, now)
        if wait is None:
            raise error
        return wait


def is_repeatable(method: str, headers: Mapping[str, str]) -> bool:
    """Whether a request may be sent twice."""
    return method in IDEMPOTENT or any(name.lower() == "idempotency-key" for name in headers)


def was_deleted(method: str, before: Sequence[int | None], status: int | None) -> bool:
    """Whether a DELETE finds nothing because an earlier attempt has done it, whose answer was lost.

    before: the status of each earlier attempt; None: no answer came.
    """
    is_lost = any(one is None or one >= _FIRST_FAILURE for one in before)
    return method == "DELETE" and status == _NOT_FOUND and is_lost


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds of `Retry-After`, which is a number or a date; None if there is none that can be read.

    A date is one of the service's clock, and so is that of the header `Date` (RFC 9110 6.6.1): how far `now` is from
    them, Unix time, matters only where that header is missing.
    """
    text = _header(headers, "retry-after")
    if text is None:
        return None
    if _SECONDS.fullmatch(text.strip()):
        return float(text)
    until, sent = _moment(text), _moment(_header(headers, "date") or "")
    if until is None:
        return None
    return max(0.0, (until - (sent or datetime.fromtimestamp(now, timezone.utc))).total_seconds())


def _header(headers: Mapping[str, str], name: str) -> str | None:
    return next((value for given, value in headers.items() if given.lower() == name), None)


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # of a number too large for any part of a date
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=timezone.utc)
