"""Looking names up: one thread per host, nothing remembered, nothing waited for at the end."""

import asyncio
import socket
import threading

import pytest

from api.settings.webhooks import WebhookSettings
from api.webhooks.egress import dns
from api.webhooks.egress.dns import DnsResolver, resolve_host
from api.webhooks.egress.ip_guard import NO_ROOM


def test_localhost_has_loopback_addresses():
    assert set(resolve_host("localhost")) <= {"127.0.0.1", "::1"}
    assert asyncio.run(DnsResolver()("localhost")) == resolve_host("localhost")


@pytest.mark.parametrize(
    "host",
    ["no-such-host.invalid", "a" * 64 + ".com", ".", "ä.example", "a\0b"],
    ids=["unknown", "long", "dot", "not ASCII", "NUL"],
)
def test_what_nobody_knows_is_an_oserror(host):
    with pytest.raises(OSError, match=r"."):
        asyncio.run(DnsResolver()(host))


def test_one_look_up_at_a_time_per_host(monkeypatch, egress):
    asked, answer = [], threading.Event()

    def ask(host):
        asked.append(host)
        answer.wait(30)
        return ["192.0.2.1"]

    monkeypatch.setattr(dns, "resolve_host", ask)

    async def scenario():
        lookup = DnsResolver()
        first, second, other = (asyncio.ensure_future(lookup(host)) for host in ("a", "a", "b"))
        await egress.until(lambda: len(asked) == 2)
        first.cancel()  # who waits no longer stops nobody else
        with pytest.raises(asyncio.CancelledError):
            await first
        answer.set()
        assert await second == await other == ["192.0.2.1"]
        assert await lookup("a") == ["192.0.2.1"]

    asyncio.run(scenario())
    assert sorted(asked) == ["a", "a", "b"]  # the last one asked anew


def test_silent_name_servers_of_as_many_attempts_as_may_hang_delay_no_other_name(monkeypatch, egress):
    """Half of the attempts under way may hang, and a look-up goes on for three times as long as its attempt."""
    silent, asked, answer = 3 * WebhookSettings().in_flight // 2, [], threading.Event()

    def ask(host):
        asked.append(host)
        if host != "well":
            answer.wait(30)
        return ["192.0.2.1"]

    monkeypatch.setattr(dns, "resolve_host", ask)

    async def scenario():
        lookup = DnsResolver()
        hanging = [asyncio.ensure_future(lookup(f"silent-{one}")) for one in range(silent)]
        well = asyncio.ensure_future(lookup("well"))
        try:
            assert await asyncio.wait_for(well, 5) == ["192.0.2.1"]
        finally:
            answer.set()
        assert await asyncio.gather(*hanging) == [["192.0.2.1"]] * silent

    asyncio.run(scenario())


def test_a_failure_nobody_waits_for_is_no_noise(monkeypatch, egress, recwarn, caplog):
    asked, answer = [], threading.Event()

    def ask(host):
        asked.append(host)
        answer.wait(30)
        raise socket.gaierror(socket.EAI_AGAIN, "later")

    monkeypatch.setattr(dns, "resolve_host", ask)

    async def scenario():
        lookup = DnsResolver()
        asking = asyncio.ensure_future(lookup("a"))
        await egress.until(lambda: len(asked) == 1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        answer.set()
        await egress.until(lambda: not any(one.name == "firm-names" for one in threading.enumerate()))
        for _ in range(3):  # what the thread told is taken in
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(scenario())
    assert not caplog.records


def test_a_machine_without_threads_is_one_without_room(monkeypatch):
    def full(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", full)
    with pytest.raises(OSError, match="no thread") as raised:
        asyncio.run(DnsResolver()("a"))
    assert raised.value.errno in NO_ROOM


def test_an_ended_loop_is_not_answered(monkeypatch, egress):
    answer, threads = threading.Event(), []

    def ask(host):
        threads.append(threading.current_thread())
        answer.wait(30)
        return ["192.0.2.1"]

    monkeypatch.setattr(dns, "resolve_host", ask)

    async def scenario():
        asking = asyncio.ensure_future(DnsResolver()("a"))
        await egress.until(lambda: threads)
        asking.cancel()

    asyncio.run(scenario())
    answer.set()
    threads[0].join(30)
    assert threads[0].daemon  # the process would not wait for it
    assert not threads[0].is_alive()
