"""SSRF guard: DNS look-ups, and which IP addresses deliveries may go to (docs/contract/delivery.md «SSRF guard»).

The guard checks addresses, never names: a host name or an unusual spelling is resolved to addresses first.
Python's `is_global` is not sufficient: it differs between versions and treats multicast, cloud-provider service
addresses and tunnels as global. The system's resolver blocks, for half a minute if a name server is silent: each host
has at most one look-up in progress, which all callers share, in threads that end with the process. Nothing is cached:
every connection resolves the name again. Does not belong here: connecting (`api.webhooks.egress.http_client`).
"""

import asyncio
import errno
import ipaddress
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
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

DENIED_IPV4: Final = tuple(one for one in DENIED if isinstance(one, ipaddress.IPv4Network))
_DENIED_6: Final = tuple(one for one in DENIED if isinstance(one, ipaddress.IPv6Network))
NO_ROOM: Final = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
"""Errors of a machine that has run out of sockets; they say nothing about an address."""
_ANY_PORT: Final = 9  # for a socket that sends nothing


class BlockedAddressError(OSError):
    """A denied address. The message does not name it, which would reveal the network's layout."""

    def __init__(self) -> None:
        super().__init__("not a public internet address")


class IpGuard:
    """Decides whether deliveries may go to an address."""

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
    """Converts an IPv4-mapped IPv6 address to IPv4."""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return address if mapped is None else mapped


def _is_denied(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return any(address in network for network in DENIED_IPV4)
    return address not in UNICAST or any(address in network for network in _DENIED_6)


Lookup = Callable[[str], Awaitable[Sequence[str]]]
"""Resolves a host to all its addresses; OSError if there are none or the look-up fails."""

_MOST_THREADS: Final = 64


class DnsResolver:
    """Async wrapper of the system's resolver."""

    def __init__(self) -> None:
        self._under_way: dict[str, asyncio.Future[list[str]]] = {}
        self._room = asyncio.Semaphore(_MOST_THREADS)

    async def __call__(self, host: str) -> list[str]:
        under_way = self._under_way.get(host)
        if under_way is None:
            under_way = asyncio.get_running_loop().create_task(self._ask(host))
            under_way.add_done_callback(lambda done: self._ended(host, done))
            self._under_way[host] = under_way
        return await asyncio.shield(under_way)  # shared with other callers

    def _ended(self, host: str, done: "asyncio.Future[list[str]]") -> None:
        del self._under_way[host]
        if not done.cancelled():
            done.exception()  # mark the exception as retrieved, even if the caller is gone

    async def _ask(self, host: str) -> list[str]:
        async with self._room:
            found: Future[list[str]] = Future()
            # no executor: the end of the process would wait for a silent name server
            asking = threading.Thread(target=_resolve_in_thread, args=(host, found), name="firm-names", daemon=True)
            try:
                asking.start()
            except RuntimeError as error:
                raise OSError(errno.ENOMEM, "no thread could be started for a DNS lookup") from error
            return await asyncio.wrap_future(found)


def resolve_host(host: str) -> list[str]:
    """Resolves a host; returns each address once, in the resolver's order."""
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _resolve_in_thread(host: str, found: Future[list[str]]) -> None:
    if not found.set_running_or_notify_cancel():  # no caller is left
        return
    try:
        found.set_result(resolve_host(host))
    except OSError as error:
        found.set_exception(error)
    except ValueError as error:  # a name that no resolver is asked for: not ASCII, or with a NUL
        found.set_exception(OSError(errno.EINVAL, f"the host cannot be looked up: {error}"))
