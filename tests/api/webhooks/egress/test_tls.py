"""TLS is verified: the authority, the name, the time; and the name is told to the server.

See docs/contract/delivery.md «SSRF guard».
"""

import asyncio
import datetime as dt
import ssl

import pytest
import trustme

from api.webhooks.egress import http_client

HOST = "hooks.example.com"
PAST = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture(autouse=True)
def trusted(authority, tmp_path, monkeypatch):
    """The authority stands in for the system's: how an operator adds one, too."""
    authority.cert_pem.write_to_path(str(tmp_path / "authorities.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authorities.pem"))
    http_client.tls_context.cache_clear()
    yield
    http_client.tls_context.cache_clear()


def server_of(authority, *names, **certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, **certificate).configure_cert(context)
    context.told = []
    context.sni_callback = lambda _, name, context: context.told.append(name)
    return context


def sent_over(egress, context, host=HOST, posts=1):
    async def scenario():
        async with egress.Receiver(tls=context) as receiver, egress.sending(everywhere, allow_http=False) as sender:
            outcomes = [await sender.send(egress.request_to(receiver.url(host))) for _ in range(posts)]
            return outcomes, receiver

    return egress.run(scenario())


async def everywhere(host):
    return ["127.0.0.1"]


def test_a_verified_connection_and_its_server_name(egress, authority):
    context = server_of(authority, HOST)
    outcomes, receiver = sent_over(egress, context, posts=5)
    assert [(one.has_succeeded, one.remote_ip) for one in outcomes] == [(True, "127.0.0.1")] * 5
    assert receiver.connections == 1
    assert context.told == [HOST]
    assert receiver.requests[0].headers["Host"] == f"{HOST}:{receiver.port}"


def test_international_names_are_told_and_verified_in_ascii(egress, authority):
    context = server_of(authority, "xn--exmple-cua.com")
    outcomes, _ = sent_over(egress, context, "exämple.com")
    assert outcomes[0].has_succeeded
    assert context.told == ["xn--exmple-cua.com"]


def test_a_dot_at_the_end_is_no_part_of_the_name(egress, authority):
    outcomes, _ = sent_over(egress, server_of(authority, HOST), f"{HOST}.")
    assert outcomes[0].has_succeeded


@pytest.mark.parametrize(
    ("names", "certificate", "told"),
    [
        (["other.example.com"], {}, "mismatch"),
        (["*.other.example.com"], {}, "mismatch"),
        (["127.0.0.1"], {}, "mismatch"),
        ([HOST], {"not_before": PAST, "not_after": PAST + dt.timedelta(days=30)}, "expired"),
    ],
    ids=["another name", "another wildcard", "the address alone", "expired"],
)
def test_certificates_that_do_not_hold(egress, authority, names, certificate, told):
    outcomes, receiver = sent_over(egress, server_of(authority, *names, **certificate))
    assert (outcomes[0].has_succeeded, outcomes[0].error) == (False, "tls_error")
    assert told in outcomes[0].error_detail
    assert outcomes[0].error_detail[-2:] != ".."
    assert outcomes[0].response_status is None
    assert receiver.requests == []


def test_an_authority_nobody_knows(egress):
    outcomes, receiver = sent_over(egress, server_of(trustme.CA(), HOST))
    assert outcomes[0].error == "tls_error"
    assert "certificate" in outcomes[0].error_detail
    assert receiver.requests == []


def test_an_old_protocol_is_refused(egress, authority):
    context = server_of(authority, HOST)
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    outcomes, receiver = sent_over(egress, context)
    assert outcomes[0].error in ("tls_error", "connection_reset")  # of whoever notices first
    assert receiver.requests == []
    assert http_client.tls_context().minimum_version == ssl.TLSVersion.TLSv1_2


def test_plain_http_where_tls_is_expected(egress):
    async def met(reader, writer):
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async def scenario():
        async with egress.sending(everywhere, allow_http=False) as sender:
            server = await asyncio.start_server(met, "127.0.0.1")
            port = server.sockets[0].getsockname()[1]
            outcome = await sender.send(egress.request_to(f"https://{HOST}:{port}/"))
            server.close()
            await server.wait_closed()
            return outcome

    outcome = egress.run(scenario())
    assert (outcome.has_succeeded, outcome.error) == (False, "tls_error")
    assert outcome.error_detail == "The TLS connection failed (WRONG_VERSION_NUMBER)."
