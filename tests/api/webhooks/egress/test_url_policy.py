"""What endpoint URLs are taken (docs/contract/contract.md 4.8; 4.16 «SSRF»)."""

import asyncio
import ipaddress
import socket

import pytest

from api.settings.webhooks import WebhookSettings
from api.webhooks.egress import url_policy
from api.webhooks.egress.url_policy import InvalidTargetError, parse_endpoint_url, url_rejection, without_query
from tests.tables import check_cases

PUBLIC, PRIVATE, METADATA = "93.184.215.14", "10.0.0.7", "169.254.169.254"


def judged(url, *answers, **settings):
    asked = []

    async def ask(host):
        asked.append(host)
        if isinstance(answers[0], OSError):
            raise answers[0]
        return list(answers)

    told = asyncio.run(url_rejection(url, WebhookSettings(**settings), ask))
    return (None if told is None else (told.problem, told.code)), asked


@check_cases(
    "url",
    [
        "https://hooks.example.com",
        "https://hooks.example.com/company-events",
        "https://hooks.example.com:443/a",
        "https://hooks.example.com:8443/a?x=%2F&y=1",
        "https://hooks.example.com:1024/a",
        "https://hooks.example.com:65535/a",
        "HTTPS://Hooks.Example.COM/a",
        "https://hooks.example.com./a",
        "https://hooks_internal.example.com/a",
        "https://hooks.example.com?x=1",
        "https://xn--exmple-cua.com/",
        "https://exämple.com/hök?q=å",
        "https://例え.jp/",
    ],
)
def test_urls_that_are_taken(url):
    assert judged(url, PUBLIC)[0] is None


@check_cases(
    ("url", "code"),
    [
        ("", "scheme_not_allowed"),
        ("hooks.example.com/a", "scheme_not_allowed"),
        ("//hooks.example.com/a", "scheme_not_allowed"),
        ("http://hooks.example.com/a", "scheme_not_allowed"),
        ("ftp://hooks.example.com/a", "scheme_not_allowed"),
        ("file:///etc/passwd", "scheme_not_allowed"),
        ("gopher://127.0.0.1:6379/_x", "scheme_not_allowed"),
        (" https://hooks.example.com/", "scheme_not_allowed"),
        ("https:/hooks.example.com/", "scheme_not_allowed"),
        ("https://", "invalid_url"),
        ("https:///a", "invalid_url"),
        ("https://:443/a", "invalid_url"),
        ("https://user@hooks.example.com/", "userinfo_not_allowed"),
        ("https://user:password@hooks.example.com/", "userinfo_not_allowed"),
        ("https://:password@hooks.example.com/", "userinfo_not_allowed"),
        ("https://@hooks.example.com/", "userinfo_not_allowed"),
        ("https://hooks.example.com@127.0.0.1/", "userinfo_not_allowed"),
        ("https://hooks.example.com/#part", "fragment_not_allowed"),
        ("https://hooks.example.com/a?b#", "fragment_not_allowed"),
        ("https://hooks.example.com#@127.0.0.1/", "fragment_not_allowed"),
        ("https://hooks.example.com\\@127.0.0.1/", "userinfo_not_allowed"),
        ("https://hooks.example.com\\a/", "invalid_url"),
        ("https://hooks.example.com/a b", "invalid_url"),
        ("https://hooks.example.com/a\r\nX-Injected: 1", "invalid_url"),
        ("https://hooks.example.com/\t", "invalid_url"),
        ("https://hooks.example.com/\n", "invalid_url"),
        ("https://hooks.example.com/\x00", "invalid_url"),
        ("https://hooks.example.com/\u2028", "invalid_url"),
        ("https://hooks.example.com/\ud800", "invalid_url"),
        ("https://hooks .example.com/", "invalid_url"),
        ("https://hooks%2eexample.com/", "invalid_url"),
        ("https://hooks.example.com%2f@evil/", "userinfo_not_allowed"),
        ("https://hooks..example.com/", "invalid_url"),
        ("https://.example.com/", "invalid_url"),
        ("https://-hooks.example.com/", "invalid_url"),
        ("https://*.example.com/", "invalid_url"),
        ("https://" + "a" * 64 + ".com/", "invalid_url"),
        ("https://" + "a." * 127 + "com/", "invalid_url"),
        ("https://hooks.example.com:/a", "invalid_url"),
        ("https://hooks.example.com:x/a", "invalid_url"),
        ("https://hooks.example.com:+443/", "invalid_url"),
        ("https://hooks.example.com:443:443/", "invalid_url"),
        ("https://[::1/", "invalid_url"),
        ("https://[fe80::1%25eth0]/", "invalid_url"),
        ("https://[1.2.3.4]/", "invalid_url"),
        ("https://[:::]/", "invalid_url"),
        ("https://[v1.fe80]/", "invalid_url"),
        ("https://hooks.example.com/" + "a" * 2_048, "too_long"),
        # what Python's and the IDNA library's encoders refuse, each with another exception
        ("https://xn--é.com/", "invalid_url"),
        ("https://\u200d.com/", "invalid_url"),
        ("https://a\u2024\u2024b.com/", "invalid_url"),
        ("https://" + "é" * 64 + ".com/", "invalid_url"),
        ("https://\uffff.com/", "invalid_url"),
    ],
)
def test_form_is_judged_before_anything_is_looked_up(url, code):
    told, asked = judged(url, PUBLIC)
    assert told == ("validation_failed", code)
    assert asked == []


@check_cases("port", [1, 22, 25, 53, 80, 110, 442, 444, 445, 1023])
def test_port_22_and_25_and_other_low_ones(port):
    assert judged(f"https://hooks.example.com:{port}/", PUBLIC) == (("endpoint_not_allowed", "port_not_allowed"), [])


@pytest.mark.parametrize("port", [0, 65_536, 99_999])
def test_ports_that_are_none(port):
    for allow in (False, True):
        told, _ = judged(f"https://hooks.example.com:{port}/", PUBLIC, allow_http=allow)
        assert told == ("endpoint_not_allowed", "port_not_allowed")


def test_trials_take_http_and_any_port():
    assert judged("http://hooks.example.com:22/", PUBLIC, allow_http=True)[0] is None
    assert judged("http://hooks.example.com/", PUBLIC, allow_http=True)[0] is None


@check_cases(
    "host", ["2130706433", "0x7f000001", "0x7f.1", "127.1", "127.0.1", "0177.0.0.1", "127.0.0.01", "0x7F.0.0.1",
             "1.2.3.256", "0", "134744072", "127.0.0.1.", "example.1", "0x"]
)  # fmt: skip
def test_numeric_spellings_are_refused(host):
    """2130706433/0x7f.1/127.1/0177 of 4.16: one spelling of an address is taken, the others are not read at all."""
    assert judged(f"https://{host}/", PUBLIC) == (("validation_failed", "invalid_url"), [])


@check_cases(
    "host", ["127.0.0.1", "10.0.0.1", METADATA, "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::a9fe:a9fe]",
             "[::]", "[fd00:ec2::254]", "①②⑦.0.0.1", "１２７.0.0.1", "127。0。0。1"]
)  # fmt: skip
def test_addresses_that_are_not_public(host):
    assert judged(f"https://{host}/", PUBLIC) == (("endpoint_not_allowed", "blocked_address"), [])


def test_public_addresses_are_taken():
    assert judged(f"https://{PUBLIC}/", PRIVATE) == (None, [])
    assert judged("https://[2606:4700:4700::1111]:8443/", PRIVATE) == (None, [])


@check_cases(
    "answers", [(PRIVATE,), ("127.0.0.1",), (METADATA,), ("::1",), (PUBLIC, PRIVATE), (PRIVATE, PUBLIC),
                (PUBLIC, "::ffff:10.0.0.1"), (PUBLIC, "fe80::1%eth0"), (PUBLIC, "not an address")]
)  # fmt: skip
def test_mixed_public_and_private_answers(answers):
    """Told like names that do not resolve: whether a name exists within a network is nobody's business outside."""
    assert judged("https://hooks.example.com/", *answers)[0] == ("endpoint_not_allowed", "dns_error")


def test_resolver_failure_closes():
    failed = judged("https://hooks.example.com/", socket.gaierror(socket.EAI_NONAME, "unknown"))
    assert failed[0] == ("endpoint_not_allowed", "dns_error")
    assert judged("https://hooks.example.com/", OSError("anything"))[0] == ("endpoint_not_allowed", "dns_error")


def test_a_name_without_addresses_is_refused():
    async def ask(host):
        return []

    told = asyncio.run(url_rejection("https://hooks.example.com/", WebhookSettings(), ask))
    assert told == url_policy.UNRESOLVED


def test_a_silent_name_server_is_not_waited_for(egress):
    async def scenario():
        loop = asyncio.get_running_loop()

        async def ask(host):
            loop.now += 5
            await asyncio.Event().wait()

        return await url_rejection("https://hooks.example.com/", WebhookSettings(), ask)

    assert egress.run(scenario(), egress.FrozenLoop) == url_policy.UNRESOLVED


def test_the_systems_resolver_is_asked():
    told = asyncio.run(url_rejection("https://localhost/", WebhookSettings()))
    assert told == url_policy.UNRESOLVED
    loopback = WebhookSettings(allow_networks=(ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1")))
    assert asyncio.run(url_rejection("https://localhost/", loopback)) is None


def test_denied_networks_are_refused():
    denied = {"deny_networks": (ipaddress.ip_network("93.184.215.0/24"),)}
    assert judged("https://hooks.example.com/", PUBLIC, **denied)[0] == ("endpoint_not_allowed", "dns_error")
    assert judged(f"https://{PUBLIC}/", **denied)[0] == ("endpoint_not_allowed", "blocked_address")


@check_cases(
    ("url", "requested"),
    [
        ("https://a.example/x?sig=a%2Fb%3D&t=%41+%7e", "https://a.example/x?sig=a%2Fb%3D&t=%41+%7e"),
        ("https://a.example/a/../b//c/.", "https://a.example/a/../b//c/."),
        ("https://a.example", "https://a.example/"),
        ("https://a.example?x", "https://a.example/?x"),
        ("https://A.Example:443/Å", "https://a.example/%C3%85"),
        ("https://a.example/%zz", "https://a.example/%zz"),
        ("https://[2606:4700:4700:0:0::1111]:8443/", "https://[2606:4700:4700::1111]:8443/"),
        ("https://Exämple.com/", "https://xn--exmple-cua.com/"),
    ],
)
def test_a_url_is_requested_as_it_was_written(url, requested):
    assert str(parse_endpoint_url(url)) == requested


def test_details_say_what_to_do_and_no_address():
    for url in (
        "https://10.0.0.1/",
        "https://a.example:25/",
        "https://u@a.example/",
        "https://127.1/",
        "x",
        "https://a#b",
    ):
        told = asyncio.run(url_rejection(url, WebhookSettings()))
        assert told is not None
        assert "10.0.0.1" not in told.detail
        assert len(told.detail) > 20
    with pytest.raises(InvalidTargetError, match="four decimal numbers"):
        parse_endpoint_url("https://127.1/")


def test_a_query_is_not_told():
    assert without_query("https://a.example/x?token=secret") == "https://a.example/x"
    assert without_query("https://a.example/x") == "https://a.example/x"
