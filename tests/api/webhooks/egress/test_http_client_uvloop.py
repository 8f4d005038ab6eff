"""The same on the event loop that the service runs on."""

import asyncio
import socket

import pytest
import uvloop

from api.webhooks.egress import http_client


@pytest.fixture
def attempt(egress):
    def run(answer, posts=1, resolver=None, host="127.0.0.1", **settings):
        async def scenario():
            async with egress.Receiver(answer) as receiver, egress.sending(resolver, **settings) as sender:
                outcomes = [await sender.send(egress.request_to(receiver.url(host), n + 1)) for n in range(posts)]
                return outcomes, receiver

        return egress.run(scenario(), uvloop.new_event_loop)

    return run


def test_connections_are_kept_and_told_on_uvloop(egress, attempt):
    outcomes, receiver = attempt(egress.OK, posts=5)
    assert [(one.has_succeeded, one.remote_ip) for one in outcomes] == [(True, "127.0.0.1")] * 5
    assert receiver.connections == 1


@pytest.mark.parametrize("answers", [["127.0.0.1"], ["127.0.0.1", "10.0.0.1"]], ids=" ".join)
def test_the_guard_on_uvloop(egress, attempt, answers):
    resolver = egress.lookup(hooks_example_com=[answers])
    for host in ("127.0.0.1", "localhost", "hooks.example.com"):
        known = None if host == "localhost" else resolver
        outcomes, receiver = attempt(egress.OK, resolver=known, host=host, allow_networks=())
        assert (outcomes[0].error, outcomes[0].remote_ip) == ("blocked_address", None)
        assert receiver.connections == 0


def test_the_socket_itself_is_judged_on_uvloop(egress, attempt, monkeypatch):
    async def unjudged(self, host, port=0, family=0):
        family = socket.AF_INET
        return [{"hostname": host, "host": one, "port": port, "proto": 0, "flags": 0, "family": family}
                for one in ("127.0.0.1", "127.0.0.2")]  # fmt: skip

    monkeypatch.setattr(http_client.GuardedResolver, "resolve", unjudged)
    outcomes, receiver = attempt(egress.OK, host="hooks.example.com", allow_networks=())
    assert outcomes[0].error == "blocked_address"
    assert receiver.connections == 0


def test_failures_on_uvloop(egress, attempt):
    async def closing(reader, writer):
        writer.close()
        raise ConnectionError

    async def hanging(reader, writer):
        await asyncio.Event().wait()

    assert attempt(closing)[0][0].error == "connection_reset"
    assert attempt(b"nonsense\r\n\r\n")[0][0].error == "protocol_error"
    assert attempt(hanging, ack_seconds=0.1)[0][0].error == "timeout"

    async def refused():
        async with egress.Receiver() as receiver:
            url = receiver.url()
        async with egress.sending() as sender:
            return await sender.send(egress.request_to(url))

    assert egress.run(refused(), uvloop.new_event_loop).error == "connection_refused"
