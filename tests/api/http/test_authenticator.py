"""Recognising callers, without a service: what is kept, for how long, and what the 401 says."""

import asyncio
import gc
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from api.auth.api_keys import KeyRecord, make_key
from api.common.clock import Clock
from api.http import authenticator
from api.http.authenticator import Authenticator
from api.problems.problem import ProblemError

KEY = make_key("live")
BEARER = f"Bearer {KEY}".encode()
START = 1_795_000_000.0
RECORD = KeyRecord(
    key_id="key_1",
    account_id="acc_1",
    kind="live",
    label=None,
    shown_prefix="firm_live_",
    shown_last="abcd",
    domains=("example.com",),
    created_at=datetime.fromtimestamp(START, UTC),
    expires_at=None,
    revoked_at=None,
    last_used_at=None,
    tier="pro",
    account_status="active",
)


def _meter(*_: object) -> Any:
    """Nothing is counted here."""


class World:
    """An authenticator over one answer, with hands on its clock."""

    def __init__(self, record: KeyRecord | None = RECORD) -> None:
        self.record, self.seconds, self.asked, self.broken = record, START, 0, False
        clock = Clock(wall=lambda: self.seconds, monotonic=lambda: self.seconds)
        self.made = Authenticator(self.lookup, _meter, b"p" * 32, clock, 30.0)

    def lookup(self, _digest):
        self.asked += 1
        if self.broken:
            raise OperationalError("statement", {}, RuntimeError("gone"))
        return self.record

    def ask(self, authorization=BEARER):
        return asyncio.run(self.made.authenticate_key(authorization))

    def refused(self, authorization=BEARER):
        with pytest.raises(ProblemError) as caught:
            self.ask(authorization)
        return caught.value


def at(seconds):
    return datetime.fromtimestamp(START + seconds, UTC)


def test_a_caller_is_all_that_the_record_says():
    caller = World().ask()
    assert (caller.account_id, caller.key_id, caller.kind) == ("acc_1", "key_1", "live")
    assert (caller.account_status, caller.domains, caller.expires_at) == ("active", ("example.com",), None)


def test_a_caller_is_believed_for_the_cache_time_and_not_a_moment_longer():
    world = World()
    assert world.made.cached_caller(BEARER) is None
    caller = world.ask()
    world.seconds += 29.9
    assert world.made.cached_caller(BEARER) is caller
    world.seconds = START + 30
    assert world.made.cached_caller(BEARER) is None
    assert world.made.has_authenticated_before(BEARER)
    assert world.made.cached_caller(None) is None
    assert not world.made.has_authenticated_before(None)
    assert not world.made.is_looking_up(None)


def test_every_header_is_kept_apart():
    world = World()
    world.ask()
    assert world.made.cached_caller(BEARER[:-1]) is None
    assert world.made.cached_caller(BEARER + b" ") is None


def test_a_key_ends_on_its_instant_also_while_it_is_believed():
    world = World(replace(RECORD, expires_at=at(10)))
    world.ask()
    world.seconds += 9.5
    assert world.made.cached_caller(BEARER) is not None
    world.seconds = START + 10
    assert world.made.cached_caller(BEARER) is None
    trouble = world.refused()
    assert (trouble.problem_type.code, trouble.detail) == ("expired_api_key", f"This key expired on {at(10):%Y-%m-%d}.")


def test_a_key_that_stops_working_is_forgotten():
    world = World()
    world.ask()
    world.record = replace(RECORD, revoked_at=at(1), expires_at=at(0))
    trouble = world.refused()
    assert trouble.problem_type.code == "revoked_api_key", "told before that it expired"
    assert list(trouble.headers) == [(b"www-authenticate", b'Bearer realm="firm", error="invalid_token"')]
    assert not world.made.has_authenticated_before(BEARER)
    world.record = None
    assert world.refused().problem_type.code == "invalid_api_key"


@pytest.mark.parametrize(
    "header",
    [None, b"", b"Bearer", b"Bearer  ", b"Basic " + KEY.encode(), KEY.encode()],
    ids=["none", "empty", "scheme", "blanks", "other scheme", "bare key"],
)
def test_what_brings_no_key(header):
    world = World()
    trouble = world.refused(header)
    assert (trouble.problem_type.code, world.asked) == ("missing_api_key", 0)
    assert list(trouble.headers) == [(b"www-authenticate", b'Bearer realm="firm"')]


@pytest.mark.parametrize(
    "header", [b"bearer " + KEY.encode(), b"BEARER   " + KEY.encode() + b" "], ids=["lower", "upper"]
)
def test_the_scheme_in_any_case_and_blanks_around_the_key(header):
    assert World().ask(header).key_id == "key_1"


def test_a_typing_error_costs_no_look_up():
    world = World()
    assert world.refused(BEARER[:-1] + (b"a" if BEARER[-1:] != b"a" else b"b")).problem_type.code == "invalid_api_key"
    assert world.asked == 0


def test_a_key_that_worked_goes_on_while_it_cannot_be_looked_up():
    world = World()
    world.ask()
    world.seconds += 31
    world.broken = True
    assert world.ask().key_id == "key_1"
    assert world.made.cached_caller(BEARER) is not None, "it is not looked up again at once"
    world.seconds += 5
    assert world.made.cached_caller(BEARER) is None
    world.seconds = START + 30 + 900
    trouble = world.refused()
    assert (trouble.problem_type.code, trouble.status) == ("service_unavailable", 503)
    assert list(trouble.headers) == [(b"retry-after", b"2")]
    assert world.made.has_authenticated_before(BEARER), "the key was neither right nor wrong"


def test_a_key_that_has_not_worked_here_waits_for_the_look_up():
    world = World()
    world.broken = True
    assert world.refused().problem_type.code == "service_unavailable"


def test_a_key_expires_though_it_cannot_be_looked_up():
    world = World(replace(RECORD, expires_at=at(40)))
    world.ask()
    world.seconds += 31
    world.broken = True
    assert world.ask().key_id == "key_1"
    world.seconds = START + 40
    assert world.refused().problem_type.code == "expired_api_key"


def test_the_callers_asked_for_longest_ago_are_forgotten_first(monkeypatch):
    monkeypatch.setattr(authenticator, "MAX_KNOWN_CALLERS", 2)
    world = World()
    first, second, third = (f"Bearer {make_key('live')}".encode() for _ in range(3))
    for header in (first, second, first, third):
        world.ask(header)
    assert [world.made.has_authenticated_before(header) for header in (first, second, third)] == [True, False, True]


def test_requests_that_come_together_share_a_look_up_though_one_goes_away():
    world = World()

    async def run():
        asking = [asyncio.ensure_future(world.made.authenticate_key(BEARER)) for _ in range(3)]
        await asyncio.sleep(0)
        assert world.made.is_looking_up(BEARER)
        asking[0].cancel()
        ended = await asyncio.gather(*asking, return_exceptions=True)
        assert isinstance(ended[0], asyncio.CancelledError)
        assert ended[1] is ended[2]
        assert not world.made.is_looking_up(BEARER)

    asyncio.run(run())
    assert world.asked == 1


def test_a_failure_that_nobody_waits_for_any_more_is_seen():
    """Else the loop would say that an exception was never retrieved."""
    world, said = World(None), []

    async def run():
        asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context))
        asking = asyncio.ensure_future(world.made.authenticate_key(BEARER))
        await asyncio.sleep(0)
        asking.cancel()
        (shared,) = asyncio.all_tasks() - {asyncio.current_task(), asking}
        await asyncio.wait([asking, shared])
        del shared
        gc.collect()

    asyncio.run(run())
    assert said == []
