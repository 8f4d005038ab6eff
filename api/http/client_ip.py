"""Resolves the client address of a request, also behind proxies (FIRM_TRUSTED_PROXIES).

Forwarding headers are trusted only as far as trusted hops vouch for them: read from the right, the first
address that is not a trusted proxy's is the client's. Where they contradict each other or name no address, the
client is unknown: nobody near, and never the proxy itself. Malformed headers never raise. Does not belong here:
scheme and host of links (only FIRM_PUBLIC_URL sets them), or limits per address (`api.rate_limits.limiter`).
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from api.settings.parsers import UNIX
from warehouse.settings.texts import Network

Address = IPv4Address | IPv6Address

FORWARDING: Final = (b"x-forwarded-for", b"forwarded")
_HOPS: Final = 16  # maximum length of the proxy chain
_LONGEST: Final = 64  # longer than any IPv6 address with zone, brackets and port
_CACHED: Final = 4096
_PORT: Final = re.compile(r":\d{1,5}")
UNKNOWN: Final = "unknown"
_LOCAL: Final[tuple[Network, ...]] = tuple(
    ip_network(network)
    for network in (
        "127.0.0.0/8",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "169.254.0.0/16",
        "::1/128",
        "fc00::/7",
        "fe80::/10",
    )
)  # Python's is_private has the ranges of documentation and benchmarks, too, which anybody may write into a header


class ClientIpResolver:
    """Resolves client addresses.

    `trusted` lists addresses and networks of proxies; `unix` means any local socket.
    """

    __slots__ = ("_networks", "_unix", "trusted_proxies")

    def __init__(self, trusted: tuple[str, ...] = ()) -> None:
        self._networks: tuple[Network, ...] = tuple(ip_network(one, strict=False) for one in trusted if one != UNIX)
        self._unix = UNIX in trusted
        self.trusted_proxies = bool(trusted)
        """True if any proxy is trusted; if not, only the socket's address is used."""

    def client(self, peer: tuple[str, int] | None, incoming: Mapping[bytes, bytes]) -> str:
        """The client address as text; `unix` on a Unix socket, `unknown` if the headers tell none."""
        nearest = UNIX if peer is None else peer[0]
        if not self.trusted_proxies or not self.is_trusted_proxy(nearest):
            return nearest
        told = {self._furthest_trusted_hop(name, incoming[name]) for name in FORWARDING if name in incoming}
        if not told:  # the proxy asks for itself
            return nearest
        # a proxy sets one of the two headers; if the other one differs, the client has added it
        return told.pop() if len(told) == 1 else UNKNOWN

    def is_trusted_proxy(self, nearest: str) -> bool:
        """True if the socket's peer is a trusted proxy."""
        if nearest == UNIX:
            return self._unix
        address = parse_address(nearest)
        return address is not None and self._is_proxy_address(address)

    def _is_proxy_address(self, address: Address) -> bool:
        return any(address in network for network in self._networks)

    def _furthest_trusted_hop(self, header: bytes, value: bytes) -> str:
        """The address furthest from us that was reported by a trusted hop; `unknown` if that hop reported none."""
        furthest = UNKNOWN
        for hop in reversed(value.decode("latin-1").rsplit(",", _HOPS)[-_HOPS:]):
            address = parse_address(_forwarded_for(hop) if header == b"forwarded" else hop)
            if address is None:
                return UNKNOWN
            furthest = str(address)
            if not self._is_proxy_address(address):
                break
        return furthest


def _forwarded_for(element: str) -> str:
    """The `for` of one element of a Forwarded header (RFC 7239); empty if there is none."""
    for pair in element.split(";"):
        name, _, value = pair.partition("=")
        if name.strip().lower() == "for":
            value = value.strip()
            is_quoted = len(value) > 1 and value[0] == value[-1] == '"'
            return value[1:-1] if is_quoted else value
    return ""


def parse_address(text: str) -> Address | None:
    """Parses an address as written in headers: with port, brackets or zone; None for anything else.

    IPv4-mapped IPv6 becomes IPv4, and zones are dropped: one client has one spelling.
    """
    text = text.strip()
    return _parse_address_text(text) if len(text) <= _LONGEST else None


@lru_cache(_CACHED)
def _parse_address_text(text: str) -> Address | None:
    if text.startswith("["):
        host, closed, port = text[1:].partition("]")
        text = host if closed and (not port or _PORT.fullmatch(port)) else ""
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
        text = host if _PORT.fullmatch(f":{port}") else ""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_local_address(text: str) -> bool:
    """True for an address of this machine or a private network, from which only operators call."""
    if text == UNIX:
        return True
    address = parse_address(text)
    return address is not None and any(address in network for network in _LOCAL)
