# ruff: noqa: SIM905 -- tables of addresses
"""Every row of the deny table, at its edges.

See docs/contract/delivery.md «SSRF guard»; docs/contract/contract.md 4.16 «SSRF».
"""

import errno
import ipaddress
import socket

import pytest

from api.settings.webhooks import WebhookSettings
from api.webhooks.egress import ip_guard
from api.webhooks.egress.ip_guard import DENIED, BlockedAddressError, IpGuard, is_own_address
from tests.tables import check_cases
from warehouse.settings.errors import SettingError

# Written from the contract, not from the code.
ROWS = """
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15
198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32
2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20
""".split()
# Outside 2000::/3: loopback, unspecified, compatible, translated, discard, local, multicast, unallocated.
BESIDE = """
:: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8 64:ff9b:: 64:ff9b::a9fe:a9fe 64:ff9b::8.8.8.8
64:ff9b:1::1 100:: 100:0:0:1::1 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 4000:: 4000::1 5f00::1 fc00::1 fd00:ec2::254
fe80::1 fe80::1%eth0 febf:: fec0::1 feff::1 ff00:: ff02::1 ff0e::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
""".split()
MAPPED = """
::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.1.2.3 ::ffff:169.254.169.254 ::ffff:0.0.0.0 ::ffff:192.168.0.1
::ffff:168.63.129.16 ::ffff:224.0.0.1
""".split()
PUBLIC = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15
168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0
192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255 ::ffff:8.8.8.8
2000:: 2001:200:: 2001:4860:4860::8888 2001:db7:ffff:: 2001:db9:: 2003:: 2606:4700:4700::1111 2620:4f:7fff::
2620:4f:8001:: 3ffe:: 3fff:1000:: 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
""".split()
NOT_ADDRESSES = """
2130706433 0x7f000001 0x7f.1 127.1 127.0.1 0177.0.0.1 017700000001 127.0.0.1. 127.0.0.01 1.2.3 256.1.1.1 localhost
[::1] ::1/128 127.0.0.1/32 example.com
""".split()


def nowhere(_):
    return False


@pytest.fixture
def guard():
    return IpGuard(is_own=nowhere)


def test_the_table_is_the_contracts():
    assert sorted(map(str, DENIED)) == sorted(ROWS)


@check_cases("row", ROWS)
def test_every_row_of_the_deny_table(guard, row):
    network = ipaddress.ip_network(row)
    for address in (network[0], network[network.num_addresses // 2], network[-1]):
        assert not guard.is_permitted(str(address))
        with pytest.raises(BlockedAddressError):
            guard.check(str(address))
        if address.version == 4:
            assert not guard.is_permitted(f"::ffff:{address}")


@check_cases("address", BESIDE)
def test_only_given_out_ipv6_is_allowed(guard, address):
    assert not guard.is_permitted(address)


@check_cases("address", MAPPED)
def test_mapped_addresses_are_judged_as_ipv4(guard, address):
    assert not guard.is_permitted(address)


@check_cases("address", PUBLIC)
def test_neighbours_of_the_rows_are_allowed(guard, address):
    assert guard.is_permitted(address)


@check_cases("written", [*NOT_ADDRESSES, "", " ", "127.0.0.1\n", "①②⑦.0.0.1", "１２７.0.0.1"])
def test_what_is_no_whole_address_is_refused(guard, written):
    assert not guard.is_permitted(written)


def test_a_refusal_names_no_address(guard):
    with pytest.raises(BlockedAddressError) as raised:
        guard.check("10.1.2.3")
    assert "10.1" not in str(raised.value)


def test_what_an_operator_allows_and_denies():
    allowed = IpGuard([ipaddress.ip_network("127.0.0.0/8")], is_own=nowhere)
    assert allowed.is_permitted("127.0.0.1")
    assert allowed.is_permitted("::ffff:127.0.0.1")
    assert not allowed.is_permitted("10.0.0.1")
    assert not allowed.is_permitted("::1")
    denied = IpGuard(denied=[ipaddress.ip_network("8.8.8.0/24")], is_own=nowhere)
    assert not denied.is_permitted("8.8.8.8")
    assert not denied.is_permitted("::ffff:8.8.8.8")
    assert denied.is_permitted("8.8.4.4")


def test_allowed_and_denied_networks_are_settings():
    assert (WebhookSettings().allow_networks, WebhookSettings().deny_networks) == ((), ())
    written = {
        "FIRM_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8,::1/128",
        "FIRM_WEBHOOK_DENY_CIDRS": "8.8.8.0/24, 2606:4700::/32",
    }
    read = WebhookSettings.read(written)
    assert list(map(str, read.allow_networks)) == ["127.0.0.0/8", "::1/128"]
    assert list(map(str, read.deny_networks)) == ["8.8.8.0/24", "2606:4700::/32"]
    with pytest.raises(SettingError, match="FIRM_WEBHOOK_DENY_CIDRS must list networks"):
        WebhookSettings.read({"FIRM_WEBHOOK_DENY_CIDRS": "8.8.8.8/24"})


def test_the_servers_own_addresses_are_refused():
    asked = []
    guard = IpGuard(is_own=lambda address: asked.append(str(address)) or str(address) == "8.8.8.8")
    assert not guard.is_permitted("8.8.8.8")
    assert not guard.is_permitted("::ffff:8.8.8.8")
    assert guard.is_permitted("8.8.4.4")
    assert asked == ["8.8.8.8", "8.8.8.8", "8.8.4.4"]


def test_own_addresses_are_known_by_the_way_to_them():
    assert is_own_address(ipaddress.ip_address("127.0.0.1"))
    assert is_own_address(ipaddress.ip_address("127.9.9.9")) is False  # from 127.0.0.1, and in the table anyway
    assert not is_own_address(ipaddress.ip_address("8.8.8.8"))


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM])
def test_a_machine_without_sockets_judges_nothing(monkeypatch, number):
    def full(*_):
        raise OSError(number, "no room")

    monkeypatch.setattr(ip_guard.socket, "socket", full)
    with pytest.raises(OSError, match="no room"):
        IpGuard().is_permitted("8.8.8.8")


def test_no_way_to_an_address_is_for_connecting_to_say(monkeypatch):
    def unreachable(*_):
        raise OSError(errno.ENETUNREACH, "no way")

    monkeypatch.setattr(ip_guard.socket, "socket", unreachable)
    assert IpGuard().is_permitted("8.8.8.8")
    assert socket.socket is unreachable
