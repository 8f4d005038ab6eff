"""Which address a request comes from, also behind proxies (FIRM_TRUSTED_PROXIES).

What a header says is believed only as far as trusted hops vouch for it: read from the right, the first address that
is not a trusted proxy's own is the caller's. Nothing here raises for what a caller sends. Does not belong here:
scheme and host of links (FIRM_PUBLIC_URL alone says those), or limits per address (`api.limits`).
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

FORWARDING: Final = (b"x-forwarded-for", b"forwarded")
UNIX: Final = "unix"
_HOPS: Final = 16  # nobody has more proxies of their own
_LONGEST: Final = 64  # an IPv6 address with zone, brackets and port is shorter
_CACHED: Final = 4096
_FOR: Final = re.compile(r"(?:^|;)\s*for\s*=\s*(\"[^\"]*\"|[^;\s\"]*)\s*(?=;|$)", re.IGNORECASE)
_PORT: Final = re.compile(r":\d{1,5}")


class Proxies:
    """Tells callers' addresses; `trusted` names addresses and networks of proxies, `unix` any local socket."""

    __slots__ = ("_networks", "_unix", "believes")

    def __init__(self, trusted: tuple[str, ...] = ()) -> None:
        self._networks: tuple[Network, ...] = tuple(
            ip_network(one, strict=False) for one in trusted if one != UNIX
        )
        self._unix = UNIX in trusted
        self.believes = bool(trusted)
        """Whether any proxy is trusted; if not, the socket's own address is all there is."""

    def client(self, peer: tuple[str, int] | None, incoming: Mapping[bytes, bytes]) -> str:
        """The caller's address as text; `unix` where there is none, as on a Unix socket."""
        nearest = UNIX if peer is None else peer[0]
        if not self.believes or not self.trusts(nearest):
            return nearest
        told = {self._told(name, incoming[name], nearest) for name in FORWARDING if name in incoming}
        # a proxy sets one of the two; where the other one says something else, the caller has added it
        return told.pop() if len(told) == 1 else nearest

    def trusts(self, nearest: str) -> bool:
        """Whether the socket's other end is one of our proxies."""
        if nearest == UNIX:
            return self._unix
        address = parsed(nearest)
        return address is not None and self._within(address)

    def _within(self, address: Address) -> bool:
        return any(address in network for network in self._networks)

    def _told(self, header: bytes, value: bytes, nearest: str) -> str:
        """The address furthest from us that a trusted hop has seen with its own eyes."""
        for hop in reversed(value.decode("latin-1").rsplit(",", _HOPS)[-_HOPS:]):
            address = parsed(_forwarded_for(hop) if header == b"forwarded" else hop)
            if address is None:
                break
            nearest = str(address)
            if not self._within(address):
                break
        return nearest


def _forwarded_for(element: str) -> str:
    """The `for` of one element of a Forwarded header (RFC 7239)."""
    found = _FOR.search(element)
    return found[1].strip('"') if found else ""


def parsed(text: str) -> Address | None:
    """An address as headers spell it: with port, brackets or zone; None for anything else.

    IPv4 written as IPv6 is IPv4, and zones are dropped: one caller has one spelling.
    """
    text = text.strip()
    return _parsed(text) if len(text) <= _LONGEST else None


@lru_cache(_CACHED)
def _parsed(text: str) -> Address | None:
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


def is_local(text: str) -> bool:
    """Whether an address is this machine's or of a private network: where operators are, callers are not."""
    if text == UNIX:
        return True
    address = parsed(text)
    return address is not None and (address.is_loopback or address.is_private or address.is_link_local)


def check_trusted(text: str) -> tuple[str, ...]:
    """The entries of FIRM_TRUSTED_PROXIES; ValueError names one that is neither an address nor a network."""
    entries = tuple(entry for part in text.split(",") if (entry := part.strip().lower()))
    for entry in entries:
        if entry != UNIX:
            ip_network(entry, strict=False)
    return entries
