"""The limits of one process, without a service: meters, months, tiers that change, visitors and addresses."""

import asyncio
import logging
from datetime import UTC, datetime
from unittest.mock import patch

import pytest

from api.common.clock import Clock
from api.problems.problem import ProblemError
from api.rate_limits import limiter as module
from api.rate_limits.limiter import EMPTY, EMPTY_FOR_VISITOR, RateLimiter, client_network
from api.settings.tiers import DEFAULT, read_tiers
from tests.tables import check_cases

START = datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp()
CONTRACT = (200, 201, 202, 204, 206, 400, 404, 409, 412, 422)
DECEMBER = datetime(2026, 12, 1, tzinfo=UTC).timestamp()
SMALL = read_tiers(
    {
        "tiers": {"small": {"monthly_requests": 3, "burst_per_second": 1, "burst_capacity": 2}},
        "clients": {"failed_authentications_per_second": 2, "publishable_key_requests_per_second": 2},
    }
)


class Nowhere:
    """A store that keeps nothing."""

    def add(self, rows):
        return []

    def add_at_once(self, rows):
        """As on PostgreSQL: never without a thread."""

    def close(self):
        pass


class World:
    """Limits with hands on their clock, and what they hand to the gathering of counts."""

    def __init__(self, tiers=SMALL):
        self.seconds, self.added = START, []
        clock = Clock(wall=lambda: self.seconds, monotonic=lambda: self.seconds)
        with patch.object(module, "UsageCounter", lambda *_: self):
            self.made = RateLimiter(tiers, clock, Nowhere())

    def limits(self, account_id="acc_1", tier="small", month=202611, used=0):
        return self.made.limits_of_account(account_id, tier, month, used)

    def add(self, count, *, is_urgent=False):
        count.used += 1
        count.pending += 1
        self.added.append((count.account_id, count.month))

    def settle(self, meter, status=200, left=1, *, counted=True):
        return {name.decode(): value.decode() for name, value in self.made.count_response(meter, status, counted, left)}


def refused(ask, *given):
    with pytest.raises(ProblemError) as caught:
        ask(*given)
    return caught.value


def test_headers_tell_what_is_left_after_the_answer():
    world = World()
    meter = world.limits()
    assert world.settle(meter) == {
        "ratelimit-policy": '"burst";q=2;w=2, "month";q=3;w=2592000',
        "ratelimit": f'"burst";r=1;t=1, "month";r=2;t={int(DECEMBER - START)}',
        "x-ratelimit-limit": "3",
        "x-ratelimit-reset": str(int(DECEMBER)),
        "x-ratelimit-remaining": "2",
    }


@pytest.mark.parametrize("left", [EMPTY, EMPTY_FOR_VISITOR, 0])
def test_nothing_left_is_nought(left):
    world = World()
    meter = world.limits(used=7)
    told = world.settle(meter, 429, left)
    assert told["ratelimit"].startswith('"burst";r=0;t=1, "month";r=0;')
    assert told["x-ratelimit-remaining"] == "0"


@check_cases("status", [*CONTRACT, 304, 401, 402, 403, 405, 406, 413, 415, 429, 500, 503])
def test_only_some_statuses_count_and_only_where_the_route_does(status):
    world = World()
    meter = world.limits()
    world.settle(meter, status)
    assert world.added == [("acc_1", 202611)] * (status in CONTRACT)
    world.settle(meter, status, counted=False)
    assert len(world.added) == (status in CONTRACT)


def test_the_last_request_of_a_month_is_answered_and_the_next_is_not():
    world = World()
    meter = world.limits(used=2)
    world.made.check_quota(meter)
    world.settle(meter)
    trouble = refused(world.made.check_quota, meter)
    assert (trouble.problem_type.code, trouble.extra["violated-policies"]) == ("quota_exceeded", ["month"])
    assert trouble.extra["retry_after"] == int(DECEMBER - START)
    assert trouble.detail.startswith("All 3 requests of November 2026 are used.")
    world.seconds = DECEMBER
    world.made.check_quota(meter)
    assert (meter.month.number, meter.count.used) == (202612, 0)


def test_a_month_begins_on_its_first_second():
    world = World()
    meter = world.limits(used=3)
    world.seconds = DECEMBER - 0.5
    assert world.settle(meter, 429)["x-ratelimit-remaining"] == "0"
    assert world.made.current_month().number == 202611
    world.seconds = DECEMBER
    assert world.settle(meter)["x-ratelimit-remaining"] == "2"
    assert world.made.current_month().number == 202612
    assert world.added == [("acc_1", 202612)]


def test_a_clock_that_is_set_back_over_a_month_loses_no_count():
    world = World()
    meter = world.limits(used=2)
    world.seconds = DECEMBER
    assert world.made.current_month().number == 202612
    world.seconds = START
    world.made.check_quota(meter)
    assert (meter.month.number, meter.count.used) == (202611, 2)


def test_counts_of_another_month_are_not_learned():
    """A look-up that began before midnight tells of the month that is over."""
    world = World()
    world.seconds = DECEMBER
    meter = world.limits(month=202611, used=3)
    assert meter.count.used == 0
    meter = world.limits(month=202611, used=3)
    assert meter.count.used == 0
    world.made.set_stored_count(meter, 202612, 2)
    assert meter.count.used == 2


def test_all_keys_of_an_account_have_one_meter_and_it_learns():
    world = World()
    meter = world.limits()
    assert world.limits(used=2) is meter
    assert meter.count.used == 2
    assert world.limits(account_id="acc_2") is not meter


def test_a_bucket_that_two_processes_made_twice_is_one_again_at_the_next_look_up():
    world = World()
    meter = world.limits()
    home = meter.bucket.slot
    meter.bucket.slot = home + 1
    world.made._buckets._identities[home + 1] = meter.bucket.identity
    assert world.limits() is meter
    assert meter.bucket.slot == home


def test_another_tier_keeps_month_and_count():
    world = World()
    meter = world.limits(used=2)
    assert [world.made.take_account_token(meter, START) for _ in range(3)] == [1, 0, EMPTY]
    world.limits(tier="pro", used=2)
    assert (meter.tier.name, meter.allowed, meter.count.used) == ("pro", 60_000, 2)
    assert world.made.take_account_token(meter, START + 60) == 49


def test_a_tier_that_is_not_configured_is_served_most_generously(caplog):
    world = World(DEFAULT)
    with caplog.at_level(logging.ERROR, "firm.api"):
        meter = world.limits(tier="gone")
    assert meter.tier.name == "business"
    assert "an account has tier 'gone', which is not configured: business is used instead" in caplog.text


def test_meters_that_are_forgotten_have_nothing_unwritten(monkeypatch):
    monkeypatch.setattr(module, "MAX_METERS", 3)
    world = World()
    idle, pending, writing = (world.limits(account_id=name) for name in ("idle", "pending", "writing"))
    pending.count.pending, writing.count.writing = 1, 1
    world.limits(account_id="fourth")
    assert world.limits(account_id="pending") is pending
    assert world.limits(account_id="writing") is writing
    assert world.limits(account_id="idle") is not idle


def test_a_visitor_s_bucket_is_the_key_s_and_the_network_s():
    world = World()
    meter = world.limits(tier="pro")
    home, other = "2001:db8:1:2::7", "2001:db8:1:3::7"
    assert [world.made.take_visitor_token(meter, "key_1", home, START) for _ in range(3)] == [49, 48, EMPTY_FOR_VISITOR]
    assert world.made.take_visitor_token(meter, "key_1", "2001:db8:1:2:ffff::1", START) == EMPTY_FOR_VISITOR
    assert world.made.take_visitor_token(meter, "key_1", other, START) == 47
    assert world.made.take_visitor_token(meter, "key_2", home, START) == 46
    assert world.made.rate_limit_problem(meter, EMPTY_FOR_VISITOR).detail.startswith(
        "More than 2 requests per second from one address."
    )
    trouble = world.made.rate_limit_problem(meter, EMPTY)
    assert trouble.detail == "More than 25 requests per second. Try again in 1 second."
    assert (trouble.extra["violated-policies"], list(trouble.headers)) == (["burst"], [(b"retry-after", b"1")])


def test_an_empty_account_refuses_a_visitor_too():
    world = World()
    meter = world.limits()
    assert [world.made.take_account_token(meter, START) for _ in range(2)] == [1, 0]
    assert world.made.take_visitor_token(meter, "key_1", "192.0.2.1", START) == EMPTY


def test_addresses_that_fail_wait_unless_they_are_forgiven():
    world = World()
    for _ in range(5):
        world.made.check_failed_authentications("192.0.2.1", START)
        world.made.reset_failed_authentications("192.0.2.1", START)
    world.made.count_failed_authentication("192.0.2.1", START)
    world.made.check_failed_authentications("192.0.2.1", START)
    trouble = refused(world.made.check_failed_authentications, "192.0.2.1", START)
    assert trouble.detail.startswith("More than 2 failed authentications per second from this address.")
    world.made.check_failed_authentications("192.0.2.2", START)


def test_slow_buckets_are_remembered_until_they_are_full():
    """One that takes two minutes to fill is not taken for one of a clock before the last start."""
    slow = read_tiers({"tiers": {"small": {"monthly_requests": 3, "burst_per_second": 1, "burst_capacity": 120}}})
    world = World(slow)
    meter = world.limits()
    assert [world.made.take_account_token(meter, START) for _ in range(121)][-2:] == [0, EMPTY]


@pytest.mark.parametrize(
    ("client", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "::ffff:192.0.2.7"),
        ("2001:db8:1:2::7", f"{0x20010DB800010002:x}/64"),
        ("unix", "unix"),
    ],
)
def test_whom_an_address_stands_for(client, network):
    assert client_network(client) == network


def test_what_was_counted_is_stored_at_the_end():
    stored = []

    class Kept(Nowhere):
        def add(self, rows):
            stored.extend(rows)
            return []

    async def run():
        made = RateLimiter(SMALL, Clock(wall=lambda: START, monotonic=lambda: START), Kept())
        made.count_response(made.limits_of_account("acc_1", "small", 202611, 0), 200, True, 1)
        await made.store_pending_counts()

    asyncio.run(run())
    assert stored == [("acc_1", 202611, 1)]
