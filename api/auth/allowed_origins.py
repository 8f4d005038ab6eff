"""Checks on which pages a publishable key works: the Origin header against the key's domains.

See docs/contract/keys-and-limits.md 3.2. Hosts are parsed and lower-cased before comparison, never compared as
substrings. Does not belong here: CORS headers.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import urlsplit

_HOST: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?")
_LOCAL: Final = ("localhost", "127.0.0.1")
_PORTS: Final = {"https": 443, "http": 80}


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
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not parts.hostname or "@" in parts.netloc:
        return None
    host = _ascii_host(parts.hostname)
    if not _is_bare(host, parts.netloc):
        return None
    return Origin(parts.scheme, host, _PORTS[parts.scheme] if port is None else port)


def _is_bare(host: str, netloc: str) -> bool:
    """True if a host is only a name or an address; IPv6 must be in brackets."""
    if not netloc.startswith("["):
        return _HOST.fullmatch(host) is not None
    try:
        IPv6Address(host)
    except ValueError:
        return False
    return True


def _ascii_host(host: str) -> str:
    """Lower-case punycode form, so that one host has one spelling; the root's trailing dot is removed."""
    host = host.lower().removesuffix(".")
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        return host


def is_allowed_origin(origin: Origin, domains: tuple[str, ...]) -> bool:
    """True if one of the key's domains (`host[:port]`, `*.host`, `http://localhost:*`) covers the origin."""
    return any(_domain_covers(domain, origin) for domain in domains)


def _domain_covers(domain: str, origin: Origin) -> bool:
    if domain.startswith("http://"):
        return _covers_local(domain.removeprefix("http://"), origin)
    host, _, port = domain.partition(":")
    if origin.scheme != "https" or origin.port != int(port or _PORTS["https"]):
        return False
    host = _ascii_host(host)
    if host.startswith("*."):
        # one or more labels before the suffix, never the apex
        return origin.host.endswith(host[1:]) and len(origin.host) > len(host) - 1
    return origin.host == host


def _covers_local(domain: str, origin: Origin) -> bool:
    host, _, port = domain.partition(":")
    return (
        origin.scheme == "http"
        and host in _LOCAL
        and origin.host == host
        and (port == "*" or origin.port == int(port or _PORTS["http"]))
    )


def is_valid_domain(domain: str) -> bool:
    """True if a key may be bound to this domain: understood by `is_allowed_origin` and not broader than a site."""
    plain = domain.removeprefix("http://")
    host, colon, port = plain.partition(":")
    if colon and port != "*" and not (port.isascii() and port.isdigit() and 0 < int(port) <= 65535):  # noqa: PLR2004
        return False
    if domain.startswith("http://"):
        return host in _LOCAL
    return port != "*" and _is_host(host.removeprefix("*."))


def _is_host(host: str) -> bool:
    labels = _ascii_host(host).split(".")
    return len(labels) > 1 and all(
        label and label.replace("-", "").isalnum() and not label.startswith("-") and not label.endswith("-")
        for label in labels
    )
