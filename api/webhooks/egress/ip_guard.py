"""SSRF guard: which IP addresses deliveries may go to (docs/contract/delivery.md «SSRF guard»).

The guard checks addresses, never names: a host name or an unusual spelling is resolved to addresses first.
Python's `is_global` is not sufficient: it differs between versions and treats multicast, cloud-provider service
addresses and tunnels as global. Does not belong here: DNS look-ups (`api.webhooks.egress.dns`), or connecting
(`api.webhooks.egress.http_client`).
"""

import errno
import ipaddress
import socket
from collections.abc import Callable, Sequence
from typing import Final

from warehouse.settings.texts import Network

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

DENIED: Final[tuple[Network, ...]] = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's platform service, reachable from every VM
        "169.254.0.0/16",  # link-local, where clouds keep their metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved
        "255.255.255.255/32",  # broadcast
        "2001::/23",  # Teredo, ORCHID, benchmarks and other protocol assignments
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address inside
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
UNICAST: Final = ipaddress.IPv6Network("2000::/3")
"""Global unicast IPv6; everything outside is denied: loopback, mapped and translated IPv4, local."""

NO_ROOM: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
"""Errors of a machine that has run out of sockets; they say nothing about an address."""
_ANY_PORT: Final = 9  # for a socket that sends nothing


class BlockedAddressError(OSError):
    """A denied address. The message does not name it, which would reveal the network's layout."""

    def __init__(self) -> None:
        super().__init__("not a public internet address")


class IpGuard:
    __slots__ = ("_allowed", "_denied", "_is_own")

    def __init__(
        self,
        allowed: Sequence[Network] = (),
        denied: Sequence[Network] = (),
        is_own: Callable[[Address], bool] | None = None,
    ) -> None:
        """Creates a guard; `allowed` overrides the deny table, `denied` extends it."""
        self._allowed = allowed
        self._denied = denied
        self._is_own = is_own or is_own_address

    def is_permitted(self, text: str) -> bool:
        """Whether an address is allowed; False for anything but a complete IP address, as nothing is resolved."""
        try:
            address = _unmap_ipv4(ipaddress.ip_address(text))
        except ValueError:
            return False
        if any(address in network for network in self._allowed):
            return True
        if _is_denied(address) or any(address in network for network in self._denied):
            return False
        return not self._is_own(address)

    def check(self, text: str) -> None:
        """Raises BlockedAddressError unless `is_permitted` is true."""
        if not self.is_permitted(text):
            raise BlockedAddressError


def is_own_address(address: Address) -> bool:
    """Whether the address is this machine's own: a route to it then starts at it. Sends nothing."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as way:
            way.connect((str(address), _ANY_PORT))
            return way.getsockname()[0] == str(address)
    except OSError as error:
        if error.errno in NO_ROOM:  # inconclusive
            raise
        return False  # no route to it: connecting will report that


def _unmap_ipv4(address: Address) -> Address:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return address if mapped is None else mapped


def _is_denied(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address not in UNICAST:
        return True
    return any(address in network for network in DENIED)
