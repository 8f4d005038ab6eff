"""Attempts over real sockets: what is sent, what counts as acknowledged, what is kept.

See docs/contract/delivery.md 4, 5 and 9.
"""

import asyncio
import json
from datetime import UTC, datetime

import standardwebhooks

from api.common.clock import Clock
from api.webhooks.egress import http_client
from api.webhooks.egress.payload import EventPayload, build_request
from tests.tables import check_cases


def sent_to(egress, answer, posts=1, **options):
    """Outcomes of attempts made one after the other, and what the receiver saw."""

    async def scenario():
        async with egress.Receiver(answer) as receiver, egress.sending(**options) as sender:
            outcomes = [await sender.send(egress.request_to(receiver.url(), n + 1)) for n in range(posts)]
            return outcomes, receiver

    return egress.run(scenario())


def answered(egress, answer):
    outcomes, receiver = sent_to(egress, answer)
    assert len(receiver.requests) == 1
    return outcomes[0]


def with_status(status, *headers, body=b""):
    lines = [f"HTTP/1.1 {status} Told", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def test_signature_over_exact_wire_bytes(egress):
    """What arrived is what was signed, byte for byte, with every header of the contract and no other.

    See docs/contract/contract.md 4.7.
    """

    async def scenario():
        async with egress.Receiver() as receiver, egress.sending() as sender:
            data = '{"name":"Bøørge  AS","url":"https://a/?b=\\u0026"}'.encode()
            made = build_request(
                receiver.url(path="/h%2Fx?sig=a%2Fb&t=1"),
                [egress.SECRET],
                EventPayload("evt_c4cthsej3686j9zsejemb8n4gb", "news.published", data),
                "dlv_01kaf49n6m7p8q9r0s1t2v3w4x",
                1,
                datetime.now(UTC),
            )
            assert (await sender.send(made)).has_succeeded
            return made, receiver.requests[0], receiver.port

    made, request, port = egress.run(scenario())
    assert request.line == "POST /h%2Fx?sig=a%2Fb&t=1 HTTP/1.1"
    assert request.body == made.body
    assert request.headers == made.headers | {"Host": f"127.0.0.1:{port}", "Content-Length": str(len(made.body))}
    assert standardwebhooks.Webhook(egress.SECRET).verify(request.body, request.headers) == json.loads(made.body)


def test_headers_on_every_retry(egress):
    outcomes, receiver = sent_to(egress, with_status(500), posts=6)
    assert [one.error for one in outcomes] == ["http_status"] * 6
    assert len({frozenset(request.headers) for request in receiver.requests}) == 1
    assert [request.headers["X-Service-Attempt"] for request in receiver.requests] == list("123456")
    assert {request.headers["webhook-id"] for request in receiver.requests} == {egress.EVENT.event_id}


@check_cases("status", [200, 201, 202, 204, 206, 226, 299])
def test_204_and_299_ack(egress, status):
    outcome = answered(egress, with_status(status))
    assert (outcome.has_succeeded, outcome.error, outcome.error_detail) == (True, None, None)
    assert outcome.response_status == status
    assert outcome.remote_ip == "127.0.0.1"
    assert outcome.response_body == ""
    assert outcome.response_headers == {"content-length": "0"}


@check_cases("status", [400, 401, 403, 404, 410, 418, 429, 500, 502, 503, 599, 600, 999])
def test_410_is_plain_failure(egress, status):
    outcome = answered(egress, with_status(status, "Content-Type: text/plain", body=b"boom"))
    assert (outcome.has_succeeded, outcome.error) == (False, "http_status")
    assert outcome.error_detail == f"Endpoint returned {status}."
    assert (outcome.response_status, outcome.response_body) == (status, "boom")
    assert outcome.response_headers == {"content-length": "4", "content-type": "text/plain"}
    assert outcome.retry_after is None


@check_cases("status", [300, 301, 302, 303, 304, 307, 308])
def test_301_307_not_followed(egress, status):
    async def scenario():
        async with egress.Receiver() as trap, egress.sending() as sender:
            async with egress.Receiver(with_status(status, f"Location: {trap.url()}")) as receiver:
                outcome = await sender.send(egress.request_to(receiver.url()))
            return outcome, trap.connections, len(receiver.requests)

    outcome, trapped, requests = egress.run(scenario())
    assert (outcome.has_succeeded, outcome.error, outcome.response_status) == (False, "redirect", status)
    assert (trapped, requests) == (0, 1)


def test_informational_answers_are_waited_out(egress):
    outcome = answered(
        egress, b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + egress.OK
    )
    assert (outcome.has_succeeded, outcome.response_status) == (True, 200)


def test_switching_protocols_is_no_answer_to_a_delivery(egress):
    outcome = answered(egress, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
    assert (outcome.has_succeeded, outcome.error) == (False, "http_status")


def kept(sender):
    return [one for pool in sender._session.connector._conns.values() for one, _ in pool]


# Connections are kept.


def test_a_connection_is_used_again(egress):
    outcomes, receiver = sent_to(egress, egress.OK, posts=20)
    assert all(one.has_succeeded and one.remote_ip == "127.0.0.1" for one in outcomes)
    assert receiver.connections == 1


def test_a_connection_that_was_closed_is_not_used_again(egress):
    async def talk(reader, writer):
        writer.write(egress.OK)
        await writer.drain()
        writer.close()
        raise ConnectionError

    async def scenario():
        async with egress.Receiver(talk) as receiver, egress.sending() as sender:
            outcomes = []
            for _number in range(3):
                outcomes.append(await sender.send(egress.request_to(receiver.url())))
                await egress.until(lambda: not receiver.talks)
                await egress.until(lambda: not any(one.is_connected() for one in kept(sender)))
            return outcomes, receiver.connections

    outcomes, connections = egress.run(scenario())
    assert [one.error for one in outcomes] == [None] * 3
    assert connections == 3


def test_no_request_is_repeated_unseen(egress):
    """A connection that ends under a request fails the attempt: the schedule repeats it, where it is logged."""

    async def talk(reader, writer):
        if len(receiver_of["it"].requests) == 1:
            writer.write(egress.OK)
            await writer.drain()
            return
        writer.close()
        raise ConnectionError

    receiver_of = {}

    async def scenario():
        async with egress.Receiver(talk) as receiver, egress.sending() as sender:
            receiver_of["it"] = receiver
            first, second = [await sender.send(egress.request_to(receiver.url())) for _ in range(2)]
            return first.error, second.error, len(receiver.requests), receiver.connections

    assert egress.run(scenario()) == (None, "connection_reset", 2, 1)


def test_an_answer_nobody_asked_for_acknowledges_nothing(egress):
    """A second answer that came with the first is not taken for that of the next request."""

    async def talk(reader, writer):
        if len(receiver_of["it"].requests) == 1:
            writer.write(with_status(500) + egress.OK)
        else:
            writer.write(with_status(503))
        await writer.drain()

    receiver_of = {}

    async def scenario():
        async with egress.Receiver(talk) as receiver, egress.sending() as sender:
            receiver_of["it"] = receiver
            return [(await sender.send(egress.request_to(receiver.url()))).response_status for _ in range(2)]

    assert egress.run(scenario()) == [500, 503]


def test_an_answer_that_came_meanwhile_acknowledges_nothing(egress):
    """Nor one that came while the connection was kept."""

    async def talk(reader, writer):
        receiver = receiver_of["it"]
        if len(receiver.requests) == 1:
            writer.write(with_status(500))
            await writer.drain()
            await receiver.idle.wait()
            writer.write(egress.OK)
        else:
            writer.write(with_status(503))
        await writer.drain()

    receiver_of = {}

    async def scenario():
        async with egress.Receiver(talk) as receiver, egress.sending() as sender:
            receiver_of["it"], receiver.idle = receiver, asyncio.Event()
            first = await sender.send(egress.request_to(receiver.url()))
            connection = kept(sender)[0]
            receiver.idle.set()
            await egress.until(lambda: connection.should_close)
            second = await sender.send(egress.request_to(receiver.url()))
            return first.response_status, second.response_status

    assert egress.run(scenario()) == (500, 503)


def test_closing_leaves_nothing_open(egress):
    async def scenario():
        async with egress.Receiver() as receiver:
            async with egress.sending() as sender:
                await sender.send(egress.request_to(receiver.url()))
                assert receiver.talks
            await egress.until(lambda: not receiver.talks)
            await sender.close()  # a second time does nothing

    egress.run(scenario())


def test_nothing_is_opened_before_it_is_used(monkeypatch):
    opened = []
    monkeypatch.setattr(http_client.aiohttp, "ClientSession", lambda **_: opened.append("a session"))
    monkeypatch.setattr(http_client.aiohttp, "TCPConnector", lambda **_: opened.append("a connector"))
    asyncio.run(http_client.WebhookClient(http_client.WebhookSettings(), Clock()).close())
    assert opened == []
