"""Rate limits of an account: burst, monthly quota, and the RateLimit headers (docs/contract/contract.md 4.11).

Every authenticated request takes a token from its account's bucket (`take_account_token`). Once the status is known
it is counted if that status counts (`count_response`), so the headers report exactly the remaining requests. Until
then it is one of `in_flight`, which the quota takes for used. Failed authentication takes a token of the client's
address. Nothing here blocks or reads a database: counts come with the key's look-up (`AccountLimits`). Does not belong
here: the buckets (`api.rate_limits.token_buckets`), storing counts (`api.usage.counter`), the tiers
(`api.settings.tiers`).
"""

import logging
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Final

from api.common.clock import Clock
from api.problems.problem import ProblemError, new_problem
from api.rate_limits.token_buckets import BucketRate, TokenBuckets, map_shared_file, token_bucket
from api.settings.tiers import Tier, TierCatalogue
from api.usage.counter import Month, UsageCount, UsageCounter, UsageStore, month_at

_LOGGER: Final = logging.getLogger("firm.api")
Header = tuple[bytes, bytes]
COUNTED: Final = frozenset((200, 201, 202, 204, 206, 400, 404, 409, 412, 422))
EMPTY: Final = -1
"""Returned by `take_account_token` if the account's bucket is empty."""
EMPTY_FOR_VISITOR: Final = -2
"""Returned by `take_visitor_token` if the visitor's bucket is empty."""
_DEEPEST: Final = 60.0
MAX_METERS: Final = 100_000
_STREAM_RETRY_SECONDS: Final = 5
_TESTS_A_MINUTE: Final = 10
_TEST_EVERY: Final = 60 // _TESTS_A_MINUTE
_TESTS: Final = BucketRate(_TESTS_A_MINUTE / 60, _TESTS_A_MINUTE)
_SIGN_INS_A_MINUTE: Final = 10
_SIGN_INS: Final = BucketRate(_SIGN_INS_A_MINUTE / 60, _SIGN_INS_A_MINUTE)
_CHANGES_A_MINUTE: Final = 30
_CHANGES: Final = BucketRate(_CHANGES_A_MINUTE / 60, _CHANGES_A_MINUTE)
_LAST_REQUESTS: Final = 500
"""Of a month; they are stored one by one, so that several workers agree on when the quota is used up."""
_CACHED: Final = 4096


class AccountLimits:
    """Usage and limits of one account; shared by all its keys."""

    __slots__ = ("account_id", "allowed", "bucket", "constant", "count", "in_flight", "month", "tier")

    def __init__(self, account_id: str, tier: Tier, month: Month, stored: int) -> None:
        self.account_id = account_id
        self.in_flight = 0
        """Counted requests under way: admitted, and not answered yet."""
        self.bucket = token_bucket(account_id, _bucket_rate(tier.burst_per_second, tier.burst_capacity))
        self.start(tier, month, UsageCount(account_id, month.number, stored))

    def start(self, tier: Tier, month: Month, count: UsageCount) -> None:
        """Switches to another tier or month."""
        self.tier = tier
        self.bucket.rate = _bucket_rate(tier.burst_per_second, tier.burst_capacity)
        self.allowed = tier.monthly_requests
        self.month = month
        self.count = count
        self.constant = _constant_headers(tier, month)


class RateLimiter:
    """The limits of one process; buckets are shared with the other processes after `start`."""

    def __init__(self, tiers: TierCatalogue, clock: Clock, store: UsageStore) -> None:
        self._tiers = tiers
        self._wall = clock.wall
        self._monotonic = clock.monotonic
        self._month = month_at(clock.wall())
        self._meters: dict[str, AccountLimits] = {}
        self._usage = UsageCounter(store, clock.monotonic)
        self._deepest = max(_DEEPEST, *(tier.burst_capacity / tier.burst_per_second for tier in tiers.by_name.values()))
        self._buckets = TokenBuckets(max_capacity=self._deepest)
        failures = tiers.clients.failed_authentications_per_second
        self._failing = _bucket_rate(failures, failures)
        visits = tiers.clients.publishable_key_requests_per_second
        self._visiting = _bucket_rate(visits, visits)

    def share_buckets(self, path: Path) -> None:
        """Shares bursts with the other processes of this machine."""
        memory = map_shared_file(path)
        if memory is not None:
            self._buckets = TokenBuckets(memory, self._deepest)

    async def store_pending_counts(self) -> None:
        await self._usage.close()

    def current_month(self) -> Month:
        """The current month, by the service's clock."""
        now = self._wall()
        if not self._month.from_second <= now < self._month.to_second:
            self._month = month_at(now)
        return self._month

    def limits_of_account(self, account_id: str, tier_name: str, month: int, used: int) -> AccountLimits:
        """The account's meter, updated from what a look-up has found: the tier, and the requests of a month."""
        tier, present = self._tier_named(tier_name), self.current_month()
        known = used if month == present.number else 0
        meter = self._meters.get(account_id)
        if meter is None:
            if len(self._meters) >= MAX_METERS:
                self._evict_idle()
            meter = self._meters[account_id] = AccountLimits(account_id, tier, present, known)
        elif meter.tier is not tier:
            meter.start(tier, meter.month, meter.count)
        self.set_stored_count(meter, month, used)
        self._buckets.find(meter.bucket, self._monotonic())
        return meter

    def take_account_token(self, limits: AccountLimits, now: float) -> int:
        """Takes a token of the account's burst. Returns the number left, or EMPTY."""
        return self._buckets.take_token(limits.bucket, now)

    def take_visitor_token(self, limits: AccountLimits, key_id: str, client: str, now: float) -> int:
        """Like `take_account_token`, for a publishable key: each visitor also has a bucket, which is charged first."""
        visitor = token_bucket(f"{key_id} {client_network(client)}", self._visiting)
        if self._buckets.take_token(visitor, now) < 0:
            return EMPTY_FOR_VISITOR
        return self._buckets.take_token(limits.bucket, now)

    def rate_limit_problem(self, limits: AccountLimits, tokens_left: int) -> ProblemError:
        """429 for an empty result of `take_account_token` or `take_visitor_token`."""
        if tokens_left == EMPTY_FOR_VISITOR:
            allowed = self._visiting.per_second
            return _burst_problem(f"More than {allowed:g} requests per second from one address.")
        return _burst_problem(f"More than {limits.tier.burst_per_second} requests per second.")

    def check_quota(self, limits: AccountLimits) -> None:
        """429 if the monthly quota is used up, or what is left of it under way."""
        self._follow(limits)
        if limits.count.used + limits.in_flight < limits.allowed:
            return
        raise self._quota_problem(limits, f"All {limits.allowed} requests of {limits.month.start:%B %Y} are used.")

    def check_quota_for_further(self, limits: AccountLimits, further: int) -> None:
        """429 if the monthly quota has fewer requests left than one under way counts beyond its first."""
        month = self._follow(limits)
        left = limits.allowed - limits.count.used - limits.in_flight
        if further <= left:
            return
        said = f"This request counts as {further + 1}, of which {max(left, 0) + 1} are left in {month.start:%B %Y}."
        raise self._quota_problem(limits, said)

    def _quota_problem(self, limits: AccountLimits, said: str) -> ProblemError:
        month = limits.month
        detail = f"{said} The quota resets at {month.end:%Y-%m-%dT%H:%M:%SZ}."
        return _limited_problem("quota_exceeded", detail, "month", month.to_second - int(self._wall()))

    def stream_limit_problem(self, limits: AccountLimits) -> ProblemError:
        """429 if the account has as many open streams as its tier allows."""
        detail = f"{limits.tier.event_streams} streams of this account are open. Close one, or try again."
        return _limited_problem("rate_limited", detail, "streams", _STREAM_RETRY_SECONDS)

    def check_test_sends(self, subscription_id: str, now: float) -> None:
        """429 if a subscription has used its test sends per minute (docs/contract/contract.md 4.8)."""
        if self._buckets.take_token(token_bucket(f"test {subscription_id}", _TESTS), now) < 0:
            detail = f"More than {_TESTS_A_MINUTE} test sends per minute. Try again in {_TEST_EVERY} seconds."
            raise _limited_problem("rate_limited", detail, "test", _TEST_EVERY)

    def check_sign_in_attempts(self, client: str, now: float) -> None:
        """429 if an address requests or tries sign-in links too often."""
        if self._buckets.take_token(token_bucket(f"sign-in {client_network(client)}", _SIGN_INS), now) < 0:
            raise _limited_problem("rate_limited", "Too many sign-in attempts. Try again in a minute.", "sign-in", 60)

    def check_dashboard_changes(self, account_id: str, now: float) -> None:
        """429 if an account makes dashboard changes faster than a person would."""
        if self._buckets.take_token(token_bucket(f"change {account_id}", _CHANGES), now) < 0:
            raise _limited_problem("rate_limited", "Too many changes. Try again in a minute.", "change", 60)

    def check_failed_authentications(self, client: str, now: float) -> None:
        """429 before a key is looked up, if this address has failed too often lately.

        So a flood of invented keys never reaches the database. A successful look-up returns the token.
        """
        if self._buckets.take_token(token_bucket(client_network(client), self._failing), now) < 0:
            allowed = self._failing.per_second
            raise _burst_problem(f"More than {allowed:g} failed authentications per second from this address.")

    def count_failed_authentication(self, client: str, now: float) -> None:
        """Counts a failed authentication: a key that worked before no longer does."""
        self._buckets.take_token(token_bucket(client_network(client), self._failing), now)

    def reset_failed_authentications(self, client: str, now: float) -> None:
        self._buckets.give_back(token_bucket(client_network(client), self._failing), now)

    def count_response(
        self, limits: AccountLimits, status: int, is_counted: bool, tokens_left: int, requests: int = 1
    ) -> tuple[Header, ...]:
        """Counts a response, as so many requests, if its status counts; returns the RateLimit headers."""
        month = limits.month
        now = int(self._wall())
        if not month.from_second <= now < month.to_second:
            month = self._follow(limits)
        count = limits.count
        if is_counted and status in COUNTED:
            for _ in range(requests):
                self._usage.add(count, is_urgent=limits.allowed - count.used <= _LAST_REQUESTS)
        remaining = limits.allowed - count.used
        if remaining < 0:  # noqa: PLR1730 -- every answer comes here, and `max` costs more than all else
            remaining = 0
        return (
            *limits.constant,
            (
                b"ratelimit",
                b'"burst";r=%d;t=1, "month";r=%d;t=%d'
                % (tokens_left if tokens_left > 0 else 0, remaining, month.to_second - now),  # noqa: FURB136 -- the same
            ),
            (b"x-ratelimit-remaining", b"%d" % remaining),
        )

    def count_further(self, limits: AccountLimits, requests: int) -> bool:
        """Counts what a response that goes on is worth beyond its first request; False if the quota is used up."""
        self._follow(limits)
        for _ in range(requests):
            if limits.count.used + limits.in_flight >= limits.allowed:
                return False
            self._usage.add(limits.count, is_urgent=limits.allowed - limits.count.used <= _LAST_REQUESTS)
        return True

    def set_stored_count(self, limits: AccountLimits, month: int, stored: int) -> None:
        if self._follow(limits).number == month:
            limits.count.learn(stored)

    def _follow(self, meter: AccountLimits) -> Month:
        """The current month; switches `meter` to it."""
        month = self.current_month()
        if meter.month is not month:
            same = meter.month.number == month.number
            count = meter.count if same else UsageCount(meter.account_id, month.number)
            meter.start(meter.tier, month, count)
        return month

    def _tier_named(self, name: str) -> Tier:
        tier = self._tiers.by_name.get(name)
        if tier is None:
            tier = self._tiers.most_generous
            _LOGGER.error("an account has tier %r, which is not configured: %s is used instead", name, tier.name)
        return tier

    def _evict_idle(self) -> None:
        """Drops meters without unwritten counts; the next key look-up creates them again."""
        self._meters = {
            account_id: meter
            for account_id, meter in self._meters.items()
            if meter.count.pending or meter.count.writing
        }


@lru_cache(_CACHED)
def _bucket_rate(per_second: float, capacity: float) -> BucketRate:
    return BucketRate(per_second, capacity)


@lru_cache(_CACHED)
def _constant_headers(tier: Tier, month: Month) -> tuple[Header, ...]:
    """The headers that are constant for a tier within a month."""
    policy = (
        f'"burst";q={tier.burst_capacity};w={tier.burst_seconds}, "month";q={tier.monthly_requests};w={month.seconds}'
    )
    return (
        (b"ratelimit-policy", policy.encode()),
        (b"x-ratelimit-limit", b"%d" % tier.monthly_requests),
        (b"x-ratelimit-reset", b"%d" % month.to_second),
    )


@lru_cache(_CACHED)
def client_network(client: str) -> str:
    """The rate-limit identity of an address: IPv4 as is, IPv6 by its /64, which usually is one subscriber."""
    try:
        address = ip_address(client)
    except ValueError:
        return client
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return f"{int(address) >> 64:x}/64"
    return client


def _burst_problem(said: str) -> ProblemError:
    """429 with Retry-After 1: every bucket gains at least one token a second."""
    return _limited_problem("rate_limited", f"{said} Try again in 1 second.", "burst", 1)


def _limited_problem(code: str, detail: str, policy: str, retry_after: int) -> ProblemError:
    trouble = new_problem(code, detail, **{"violated-policies": [policy], "retry_after": retry_after})
    trouble.headers = [(b"retry-after", b"%d" % retry_after)]
    return trouble
