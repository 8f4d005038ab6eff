"""Checks on which pages a publishable key works: the Origin header against the key's domains.

See docs/contract/keys-and-limits.md 3.2. Hosts are parsed and lower-cased before comparison, never compared as
substrings. Does not belong here: CORS headers.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import urlsplit

from api.common.hostnames import ascii_host, is_public_suffix

_LOCAL: Final = ("localhost", "127.0.0.1")
_PORTS: Final = {"https": 443, "http": 80}
_EXAMPLES: Final = "use example.com, *.example.com or http://localhost:*"


@dataclass(frozen=True, slots=True)
class Origin:
    scheme: str
    host: str
    port: int


def parse_origin(text: str) -> Origin | None:
    """Parses the origin of an Origin or Referer header; None for `null` or anything but a web address.

    Parsers disagree about backslashes, blanks and userinfo, so values with any of them are rejected.
    """
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
        if parts.scheme not in _PORTS or not host or "@" in parts.netloc:
            return None
        if parts.netloc.startswith("["):
            IPv6Address(host)
        else:
            host = ascii_host(host)
    except ValueError:
        return None
    return Origin(parts.scheme, host, _PORTS[parts.scheme] if port is None else port)


def is_allowed_origin(origin: Origin, domains: tuple[str, ...]) -> bool:
    """True if one of the key's domains (`host[:port]`, `*.host`, `http://localhost:*`) covers the origin."""
    return any(_domain_covers(domain, origin) for domain in domains)


def _domain_covers(domain: str, origin: Origin) -> bool:
    scheme = "http" if domain.startswith("http://") else "https"
    host, _, port = domain.removeprefix("http://").partition(":")
    is_any_port = scheme == "http" and port == "*"
    if origin.scheme != scheme or not (is_any_port or origin.port == int(port or _PORTS[scheme])):
        return False
    if scheme == "http":
        return host in _LOCAL and origin.host == host
    is_wildcard = host.startswith("*.")
    try:
        host = ascii_host(host.removeprefix("*."))
    except ValueError:  # stored when such names were taken: it covers nothing
        return False
    # a wildcard stands for one or more labels before the suffix, never for the suffix itself
    return origin.host.endswith(f".{host}") and len(origin.host) > len(host) + 1 if is_wildcard else origin.host == host


def domain_fault(domain: str) -> str | None:
    """Why a key may not be bound to a domain, and what to write; None if it may.

    A domain must be one that `is_allowed_origin` can match, and not broader than a site: nobody's key works on all
    names of a public suffix.
    """
    is_local = domain.startswith("http://")
    host, colon, port = domain.removeprefix("http://").partition(":")
    if colon and not (is_local and port == "*") and not _is_port(port):
        return "its port must be a number from 1 to 65535"
    if is_local:
        return None if host in _LOCAL else "http:// is for localhost and 127.0.0.1 only: pages elsewhere need https"
    if host in _LOCAL:
        return f"for pages on this machine write http://{host}:{port if colon else '*'}"
    return _site_fault(host.removeprefix("*."))


def _site_fault(host: str) -> str | None:
    """Why a host is not the name of a site; None if it is."""
    try:
        name = ascii_host(host)
    except ValueError:
        return _EXAMPLES
    if "_" in name or name.count(".") == 0 or name.rpartition(".")[2].isdigit():
        return _EXAMPLES
    if is_public_suffix(name):
        return f"anybody can have a name below {name}: write your own, for example shop.{name}"
    return None


def _is_port(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,5}", text) is not None and 0 < int(text) <= 65535  # noqa: PLR2004
