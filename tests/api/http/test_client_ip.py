"""Whose address a request counts for: the socket's, or what trusted proxies say and nobody else."""

import asyncio
import json

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from api.http.client_ip import UNKNOWN, ClientIpResolver, is_local_address, parse_address
from api.settings.parsers import parse_proxies
from api.settings.service import ApiSettings
from tests.tables import check_cases
from warehouse.settings.errors import SettingError

COMPANY = "/api/v1/companies/5599999991"
PEER, CALLER = "10.1.2.3", "203.0.113.9"
TRUSTED = ("10.0.0.0/8", "2001:db8::/32", "192.0.2.7")


def client(peer, trusted=TRUSTED, **headers):
    incoming = {name.replace("_", "-").encode(): value.encode("latin-1") for name, value in headers.items()}
    return ClientIpResolver(trusted).client(peer and (peer, 5000), incoming)


def test_without_trusted_proxies_only_the_socket_counts():
    assert client(CALLER, (), x_forwarded_for="1.2.3.4", forwarded="for=1.2.3.4") == CALLER
    assert client("127.0.0.1", (), x_forwarded_for="1.2.3.4") == "127.0.0.1"
    assert client(None, (), x_forwarded_for="1.2.3.4") == "unix"


def test_who_is_not_trusted_is_not_believed():
    assert client(CALLER, x_forwarded_for="1.2.3.4") == CALLER
    assert client("192.0.2.8", forwarded="for=1.2.3.4") == "192.0.2.8"
    assert client(None, x_forwarded_for="1.2.3.4") == "unix"
    assert client(None, ("unix",), x_forwarded_for="1.2.3.4") == "1.2.3.4"


@check_cases(
    ("said", "found"),
    [
        (CALLER, CALLER),
        (f"1.2.3.4, {CALLER}", CALLER),  # what the caller wrote itself stands left of what the proxy saw
        (f"1.2.3.4, {CALLER}, 10.9.9.9", CALLER),
        (f"1.2.3.4, {CALLER}, 192.0.2.7, 10.9.9.9", CALLER),
        ("10.9.9.9, 10.8.8.8", "10.9.9.9"),  # within our own network
        (f"{CALLER}:4711", CALLER),
        ("[2001:db9::1]:4711", "2001:db9::1"),
        ("2001:DB9:0::1", "2001:db9::1"),
        ("fe80::1%eth0", "fe80::1"),
        (f"::ffff:{CALLER}", CALLER),
        (f" \t{CALLER}\t ", CALLER),
    ],
)
def test_from_the_right_the_first_who_is_not_ours(said, found):
    assert client(PEER, x_forwarded_for=said) == found


@check_cases(
    "said",
    [
        "",
        ",",
        "unknown",
        "_hidden",
        "localhost",
        "1.2.3",
        "1.2.3.4.5",
        "01.2.3.4",
        "1.2.3.4/8",
        "1.2.3.4:",
        "1.2.3.4:x",
        "1.2.3.4:123456",
        "[::1",
        "::1]",
        "[::1]x",
        "2130706433",
        "0x7f.1",
        "1.2.3.4 5.6.7.8",
        "<script>",
        "\xff\xfe",
        "1" * 9000,
        "٣.٣.٣.٣".encode().decode("latin-1"),
    ],
)
def test_what_is_no_address_is_not_believed_and_nobody_near(said):
    for told in (said, f"1.2.3.4, {said}", f"{said}, 10.9.9.9"):
        assert client(PEER, x_forwarded_for=told) == UNKNOWN
    assert not is_local_address(UNKNOWN)


def test_hundreds_of_hops():
    hops = ", ".join(["1.2.3.4", *["10.9.9.9"] * 900])
    assert client(PEER, x_forwarded_for=hops) == "10.9.9.9"


@check_cases(
    ("said", "found"),
    [
        (f"for={CALLER}", CALLER),
        (f'for="{CALLER}:80";proto=http;by=10.1.1.1', CALLER),
        ('For="[2001:db9::1]:4711"', "2001:db9::1"),
        (f"for=1.2.3.4, proto=https; for={CALLER} ;host=evil", CALLER),
        ("for=_hidden", UNKNOWN),
        ("for=unknown", UNKNOWN),
        ("by=1.2.3.4", UNKNOWN),
        ("xfor=1.2.3.4", UNKNOWN),
        ('for="1.2.3.4', UNKNOWN),
        (f'for=1.2.3.4;host="a, for={CALLER}"', UNKNOWN),
        ("for=" + " " * 60_000, UNKNOWN),
        (";" * 60_000, UNKNOWN),
    ],
)
def test_forwarded(said, found):
    assert client(PEER, forwarded=said) == found


def test_a_header_that_the_proxy_does_not_set_is_not_believed():
    assert client(PEER, x_forwarded_for=CALLER, forwarded="for=1.2.3.4") == UNKNOWN
    assert client(PEER, x_forwarded_for=CALLER, forwarded="") == UNKNOWN
    assert client(PEER, x_forwarded_for="", forwarded=f"for={CALLER}") == UNKNOWN
    assert client(PEER) == PEER  # the proxy asks for itself
    assert client(PEER, x_forwarded_for=CALLER, forwarded=f"for={CALLER}") == CALLER


@given(some.binary(max_size=200), some.binary(max_size=200))
@settings(max_examples=300)
def test_nothing_that_is_sent_raises(one, other):
    found = ClientIpResolver(TRUSTED).client((PEER, 1), {b"x-forwarded-for": one, b"forwarded": other})
    assert found == UNKNOWN or parse_address(found) is not None


def test_settings():
    assert ApiSettings.read({}).trusted_proxies == ()
    read = ApiSettings.read({"FIRM_TRUSTED_PROXIES": " 10.0.0.0/8, ::1 ,UNIX,"})
    assert read.trusted_proxies == ("10.0.0.0/8", "::1", "unix")
    assert parse_proxies("10.0.0.1/8") == ("10.0.0.1/8",)
    for wrong in ("nginx", "10.0.0.0/99", "*"):
        with pytest.raises(SettingError, match="FIRM_TRUSTED_PROXIES"):
            ApiSettings.read({"FIRM_TRUSTED_PROXIES": wrong})


def test_local_addresses():
    for local in ("127.0.0.1", "::1", "10.1.2.3", "192.168.0.1", "fe80::1", "::ffff:127.0.0.1", "fd00::1", "unix"):
        assert is_local_address(local)
    for other in ("8.8.8.8", "2a00::1", "203.0.113.9", "198.51.100.7", "2001:db8::1", "198.18.0.1", "testclient", ""):
        assert not is_local_address(other)


def logged(service):
    service.parts.access_log.flush()
    return [json.loads(line) for piece in service.lines for line in piece.splitlines()]


def test_over_http(serve, world):
    service = serve(world, trusted_proxies=("10.0.0.0/8",))
    headers = [
        ("X-Forwarded-For", "1.2.3.4"),
        ("X-Forwarded-For", CALLER),
        ("X-Forwarded-Proto", "http"),
        ("X-Forwarded-Host", "evil.example"),
        ("Host", "evil.example"),
        ("Authorization", f"Bearer {service.key}"),
    ]

    async def ask():
        transport = httpx.ASGITransport(service.app, client=(PEER, 5000))
        async with httpx.AsyncClient(transport=transport, base_url="http://api.example.com") as through:
            return await through.get(f"{COMPANY}/events?order=asc&limit=1", headers=headers)

    answer = asyncio.run(ask())
    # nobody is sent elsewhere with a key, and no header says where we are
    assert answer.status_code == 200
    assert answer.headers["link"].startswith("<https://api.example.com/api/v1/")
    assert [line["client"] for line in logged(service)] == [CALLER]
