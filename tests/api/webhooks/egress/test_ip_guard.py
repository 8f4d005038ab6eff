"""Where attempts do not go, judged on the address connected to.

See docs/contract/delivery.md «SSRF guard»; docs/contract/contract.md 4.16 «SSRF».
"""

import asyncio
import errno
import ipaddress
import re
import socket
from itertools import product
from pathlib import Path

import pytest

from api.settings.webhooks import WebhookSettings
from api.webhooks.egress import attempt_result, http_client
from api.webhooks.egress.url_policy import url_rejection
from tests.tables import check_cases

CONNECTING = re.compile(
    r"^\s*(import|from) (aiohttp|httpx|requests|urllib3|urllib\.request|http\.client)\b|\b(open|create)_connection\(",
    re.MULTILINE,
)
HOST = "hooks.example.com"
ROWS = [
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "168.63.129.16", "169.254.169.254", "172.16.0.1", "192.0.0.1",
    "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1", "192.175.48.1", "198.18.0.1",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "2001::1", "2001:db8::1",
    "2002:7f00:1::", "2620:4f:8000::1", "3fff::1", "::ffff:127.0.0.1", "64:ff9b::a9fe:a9fe", "::127.0.0.1",
    "::ffff:0:127.0.0.1", "fe80::1", "fec0::1", "fc00::1", "ff02::1", "4000::1", "5f00::1", "100::1",
]  # fmt: skip
LOCATIONS = (
    "http://169.254.169.254/latest/meta-data/",
    "http://127.0.0.2:{port}/",
    "//10.0.0.1/",
    "file:///etc/passwd",
)


def bracketed(address):
    return f"[{address}]" if ":" in address else address


def blocked(outcome):
    """Nothing remote is told: who asks must not learn what is where."""
    assert (outcome.has_succeeded, outcome.error) == (False, "blocked_address")
    assert outcome.error_detail == "The host is not a public internet address."
    assert outcome.remote_ip is None
    assert outcome.response_status is outcome.response_headers is outcome.response_body is None
    return True


@pytest.fixture
def no_socket(monkeypatch):
    """Nothing may even be opened."""

    def forbidden(*_, **__):
        raise AssertionError("a socket was made")

    monkeypatch.setattr(http_client.socket.socket, "connect", forbidden)
    monkeypatch.setattr(http_client.socket.socket, "connect_ex", forbidden)


@check_cases(("address", "by"), product(ROWS, ("literal", "name")))
def test_every_row_of_the_deny_table_is_blocked(egress, no_socket, address, by):
    async def scenario():
        resolver = egress.lookup(hooks_example_com=[[address]])
        async with egress.sending(resolver, allow_networks=()) as sender:
            host = bracketed(address) if by == "literal" else HOST
            return await sender.send(egress.request_to(f"https://{host}:8443/"))

    assert blocked(egress.run(scenario()))


@pytest.mark.parametrize("spelling", ["2130706433", "0x7f.1", "127.1", "0177.0.0.1", "0x7f000001", "017700000001"])
def test_numeric_spellings_never_arrive(egress, spelling):
    """2130706433/0x7f.1/127.1/0177: refused as written, and were one read, the address it means would be judged."""

    async def scenario():
        async with egress.Receiver() as trap, egress.sending(allow_networks=()) as sender:
            as_written = await sender.send(egress.request_to(trap.url(spelling)))
            meant = {address[0] for *_, address in socket.getaddrinfo(spelling, trap.port)}
            by_name = []
            async with egress.sending(egress.lookup(hooks_example_com=[list(meant)]), allow_networks=()) as named:
                by_name.append(await named.send(egress.request_to(trap.url(HOST))))
            return as_written, meant, by_name[0], trap.connections

    as_written, meant, by_name, connections = egress.run(scenario())
    assert (as_written.error, as_written.remote_ip) == ("invalid_url", None)
    assert meant == {"127.0.0.1"}
    assert blocked(by_name)
    assert connections == 0


def test_rebinding_between_create_and_send(egress):
    async def scenario():
        answers = egress.lookup(hooks_example_com=[["93.184.215.14"], ["127.0.0.1"]])
        async with egress.Receiver() as trap, egress.sending(answers, allow_networks=()) as sender:
            url = trap.url(HOST)
            created = await url_rejection(url, WebhookSettings(allow_http=True), answers)
            return created, await sender.send(egress.request_to(url)), trap.connections

    created, outcome, connections = egress.run(scenario())
    assert created is None
    assert blocked(outcome)
    assert connections == 0


def test_rebinding_between_two_attempts(egress):
    async def closing(reader, writer):
        writer.write(b"HTTP/1.1 500 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    async def scenario():
        answers = egress.lookup(hooks_example_com=[["127.0.0.1"], ["127.0.0.2"]])
        async with (
            egress.Receiver(closing) as receiver,
            egress.Receiver(host="127.0.0.2", port=receiver.port) as trap,
            egress.sending(answers) as sender,
        ):
            outcomes = [await sender.send(egress.request_to(receiver.url(HOST), n)) for n in (1, 2)]
            return outcomes, trap.connections

    (first, second), connections = egress.run(scenario())
    assert (first.error, first.remote_ip) == ("http_status", "127.0.0.1")
    assert blocked(second)
    assert connections == 0


def test_a_kept_connection_leads_where_it_led(egress):
    """A name that means another address meanwhile changes nothing for a connection that is open."""

    async def scenario():
        answers = egress.lookup(hooks_example_com=[["127.0.0.1"], ["127.0.0.2"]])
        async with (
            egress.Receiver() as receiver,
            egress.Receiver(host="127.0.0.2", port=receiver.port) as trap,
            egress.sending(answers) as sender,
        ):
            outcomes = [await sender.send(egress.request_to(receiver.url(HOST), n)) for n in (1, 2, 3)]
            return outcomes, receiver.connections, trap.connections

    outcomes, connections, trapped = egress.run(scenario())
    assert [(one.has_succeeded, one.remote_ip) for one in outcomes] == [(True, "127.0.0.1")] * 3
    assert (connections, trapped) == (1, 0)


def test_a_connection_is_kept_for_its_host_alone(egress):
    """Two names at one address, and one name at two ports, share nothing: nor do TLS and plain."""

    async def scenario():
        answers = egress.lookup(a_example=[["127.0.0.1"]], b_example=[["127.0.0.1"]])
        async with egress.Receiver() as one, egress.Receiver() as other, egress.sending(answers) as sender:
            urls = [one.url("a.example"), one.url("b.example"), one.url("127.0.0.1"), other.url("a.example")]
            for url in urls * 2:
                assert (await sender.send(egress.request_to(url))).has_succeeded
            return one, other

    one, other = egress.run(scenario())
    assert (one.connections, other.connections) == (3, 1)
    hosts = [request.headers["Host"] for request in one.requests]
    assert hosts == [f"{name}:{one.port}" for name in ("a.example", "b.example", "127.0.0.1")] * 2


@pytest.mark.parametrize(
    "answers", [["127.0.0.1", "10.0.0.1"], ["10.0.0.1", "127.0.0.1"], ["127.0.0.1", "::1"],
                ["127.0.0.1", "169.254.169.254"], ["127.0.0.1", "127.0.0.2"], ["127.0.0.1", "nonsense"]], ids=" ".join
)  # fmt: skip
def test_mixed_public_and_private_answers_are_blocked(egress, answers):
    """Of the addresses only 127.0.0.1 is allowed here: that one does not excuse the other."""

    async def scenario():
        resolver = egress.lookup(hooks_example_com=[answers])
        async with egress.Receiver() as receiver, egress.sending(resolver) as sender:
            return await sender.send(egress.request_to(receiver.url(HOST))), receiver.connections

    outcome, connections = egress.run(scenario())
    assert blocked(outcome)
    assert connections == 0


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["127.0.0.1", "127.0.0.2"], ["::1", "127.0.0.1", "127.0.0.3"]],
                         ids=" ".join)  # fmt: skip
def test_the_socket_itself_is_judged(egress, monkeypatch, no_socket, addresses):
    """Whatever stands before it fails: no socket is made for an address that is not allowed."""
    results = [
        {"hostname": HOST, "host": one, "port": 1, "proto": 0, "flags": 0, "family": socket.AF_INET}
        for one in addresses
    ]

    async def unjudged(self, host, port=0, family=0):
        return results

    monkeypatch.setattr(http_client.GuardedResolver, "resolve", unjudged)

    async def scenario():
        async with egress.sending(allow_networks=()) as sender:
            return await sender.send(egress.request_to(f"https://{HOST}:8443/"))

    assert blocked(egress.run(scenario()))


@pytest.mark.parametrize(
    "error", [socket.gaierror(socket.EAI_NONAME, "unknown"), socket.gaierror(socket.EAI_AGAIN, "later"), OSError("x")],
    ids=["unknown", "again", "other"],
)  # fmt: skip
def test_resolver_failure_closes(egress, no_socket, error):
    async def failing(host):
        raise error

    async def empty(host):
        return []

    async def scenario(resolver):
        async with egress.sending(resolver) as sender:
            return await sender.send(egress.request_to(f"https://{HOST}/"))

    for resolver in (failing, empty):
        outcome = egress.run(scenario(resolver))
        assert (outcome.error, outcome.remote_ip) == ("dns_error", None)
        assert outcome.error_detail == "The host's name could not be resolved."


@pytest.mark.parametrize(
    "failure", [attempt_result.BLOCKED, attempt_result.invalid_url_failure("why")], ids=["blocked", "invalid"]
)
def test_of_what_is_not_allowed_no_address_is_told(failure):
    assert attempt_result.result_of_failure(failure, "10.0.0.7", 1).remote_ip is None
    assert (
        attempt_result.result_of_failure(attempt_result.timeout_failure(10), "93.184.215.14", 1).remote_ip
        == "93.184.215.14"
    )


def test_names_are_looked_up_by_the_system(egress):
    async def scenario():
        async with egress.Receiver() as trap, egress.sending(allow_networks=()) as sender:
            return await sender.send(egress.request_to(trap.url("localhost"))), trap.connections

    outcome, connections = egress.run(scenario())
    assert blocked(outcome)
    assert connections == 0


def test_the_servers_own_address_is_blocked(egress, monkeypatch):
    """127.0.0.1 stands for a public address that the machine has itself: taken out of the table, still refused."""
    monkeypatch.setattr("api.webhooks.egress.ip_guard.DENIED", ())

    async def scenario():
        async with egress.Receiver() as trap, egress.sending(allow_networks=()) as sender:
            return await sender.send(egress.request_to(trap.url())), trap.connections

    outcome, connections = egress.run(scenario())
    assert blocked(outcome)
    assert connections == 0


@check_cases(("status", "location"), product((301, 302, 303, 307, 308), LOCATIONS))
def test_redirect_to_metadata(egress, status, location):
    async def scenario():
        async with egress.Receiver(host="127.0.0.2") as trap, egress.sending() as sender:
            answer = f"HTTP/1.1 {status} Go\r\nLocation: {location.format(port=trap.port)}\r\nContent-Length: 0\r\n\r\n"
            async with egress.Receiver(answer.encode()) as receiver:
                return await sender.send(egress.request_to(receiver.url())), receiver, trap

    outcome, receiver, trap = egress.run(scenario())
    assert (outcome.error, outcome.response_status, outcome.remote_ip) == ("redirect", status, "127.0.0.1")
    assert (len(receiver.requests), trap.connections) == (1, 0)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
def test_env_proxy_ignored(egress, monkeypatch, name, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login user password secret\n")

    async def scenario():
        async with egress.Receiver() as proxy, egress.Receiver() as receiver, egress.sending() as sender:
            monkeypatch.setenv(name, proxy.url(path=""))
            outcome = await sender.send(egress.request_to(receiver.url()))
            return outcome, proxy.connections, receiver.requests[0]

    outcome, proxied, request = egress.run(scenario())
    assert (outcome.has_succeeded, proxied) == (True, 0)
    assert "Authorization" not in request.headers


@check_cases(
    "url", ["https://user:password@hooks.example.com/", "https://hooks.example.com/#part", "https://hooks.example.com:22/",
            "https://hooks.example.com:25/", "http://hooks.example.com/", "https://xn--é.com/", "https://\u2028x.com/",
            "https://" + "a" * 64 + ".com/", "https://a..b/", "https://[::1/", "", "x", "ftp://hooks.example.com/",
            "https://hooks.example.com\\@10.0.0.1/", "https://hooks.example.com/\r\nX: y", "https://\ud800.com/"]
)  # fmt: skip
def test_idna_errors_userinfo_fragment_and_ports_are_invalid_urls(egress, no_socket, url):
    """A URL that settings no longer take, or never took, is judged before every attempt; it fails, nothing crashes."""

    async def scenario():
        async with egress.sending(egress.lookup(hooks_example_com=[["127.0.0.1"]]), allow_http=False) as sender:
            return await sender.send(egress.request_to(url))

    outcome = egress.run(scenario())
    assert (outcome.has_succeeded, outcome.error, outcome.remote_ip) == (False, "invalid_url", None)
    assert outcome.error_detail.startswith("The endpoint's URL is not allowed: ")
    assert outcome.response_status is outcome.response_headers is outcome.response_body is None


def test_denied_networks_are_blocked(egress):
    async def scenario():
        denied = (ipaddress.ip_network("93.184.215.0/24"),)
        async with egress.sending(allow_networks=(), deny_networks=denied) as sender:
            return await sender.send(egress.request_to("https://93.184.215.14/"))

    assert blocked(egress.run(scenario()))


def test_a_machine_without_sockets_blames_no_endpoint(egress, monkeypatch, caplog):
    """The attempt waits for a socket, within its time, instead of failing."""
    left = [3]

    class Scarce(socket.socket):
        def __init__(self, *args, **kwargs):
            if left[0]:
                left[0] -= 1
                raise OSError(errno.EMFILE, "too many open files")
            super().__init__(*args, **kwargs)

    async def scenario():
        async with egress.Receiver() as receiver, egress.sending() as sender:
            monkeypatch.setattr(http_client, "SOCKET_WAIT_SECONDS", 0)
            monkeypatch.setattr(http_client.socket, "socket", Scarce)
            try:
                return await sender.send(egress.request_to(receiver.url()))
            finally:
                monkeypatch.undo()

    assert egress.run(scenario()).has_succeeded
    assert left == [0]
    assert "limit of open files" in caplog.text


def test_real_test_retry_and_replay_sends_have_one_way_out():
    """Nothing else of the API connects to an address of customers: `WebhookClient` is the one egress.

    Besides there are mail and database, whose addresses the operator sets, and Stripe's, one for all. The tools for agents
    ask the application itself, over no connection.
    """
    root = Path(http_client.__file__).parents[2]
    found = {str(path.relative_to(root)) for path in root.rglob("*.py") if CONNECTING.search(path.read_text())}
    own = {"webhooks/egress/http_client.py", "webhooks/egress/attempt_result.py"}
    assert found == own | {"billing/stripe_client.py", "agents/tool_server.py"}
    assert asyncio.iscoroutinefunction(http_client.WebhookClient.send)
