"""Endpoint URL policy: syntax, port, and whether the host is public (docs/contract/contract.md 4.8).

Checked when a subscription is created, changed or resumed; the syntax also before every attempt. The host's
current addresses are checked too, so that a mistake shows at once; the actual protection is the check of the
address an attempt connects to (`api.webhooks.egress.http_client`). Nothing is ever connected to here.
"""

import asyncio
import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from yarl import URL

from api.common.hostnames import ascii_host
from api.settings.webhooks import WebhookSettings
from api.webhooks.egress.dns import DnsResolver, Lookup
from api.webhooks.egress.ip_guard import IpGuard

LONGEST: Final = 2_048
_LOOKUP_SECONDS: Final = 5.0
_FORM: Final = re.compile(
    r"(?P<scheme>https?)://"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^/?#@:\[\]]+)"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[^?#]*)?"
    r"(?P<query>\?[^#]*)?",
    re.IGNORECASE,
)
_UNSAFE: Final = re.compile(r"[\x00-\x20\x7f\\\"<>^`{|}\u0080-\u00a0\u2028\u2029\ufeff\ud800-\udfff]")
_NAME: Final = re.compile(r"(?=.{1,253}\.?\Z)(?:[0-9a-z_](?:[0-9a-z_-]{0,61}[0-9a-z_])?\.)*"
                          r"[0-9a-z_](?:[0-9a-z_-]{0,61}[0-9a-z_])?\.?")  # fmt: skip
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PRINTABLE: Final = "".join(map(chr, range(0x21, 0x7F)))
_DEFAULT_PORTS: Final = {"https": 443, "http": 80}
_PORTS: Final = (443, 8_443)
_FIRST_FREE_PORT: Final = 1_024
_LAST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class UrlRejection:
    problem: str
    """Problem type: `validation_failed` (its syntax) or `endpoint_not_allowed` (its target)."""
    code: str
    """Code of the field's error; `detail` is its text."""
    detail: str


class InvalidTargetError(ValueError):
    """A URL rejected regardless of its host's addresses."""

    def __init__(self, rejection: UrlRejection) -> None:
        super().__init__(rejection.detail)
        self.refusal = rejection


BLOCKED: Final = UrlRejection("endpoint_not_allowed", "blocked_address", "must resolve to public addresses")
UNRESOLVED: Final = UrlRejection(
    "endpoint_not_allowed",
    "dns_error",
    "the host's name must resolve to public addresses; check it, or try again when its name server answers",
)
"""For names, whether they have no address or one that is not public: who asks learns nothing of internal names."""


async def url_rejection(url: str, settings: WebhookSettings, resolver: Lookup | None = None) -> UrlRejection | None:
    """Reason to reject this URL, or None. Every address of its host must be allowed."""
    try:
        target = parse_endpoint_url(url, allow_http=settings.allow_http)
    except InvalidTargetError as error:
        return error.refusal
    guard, host = IpGuard(settings.allow_networks, settings.deny_networks), target.raw_host or ""
    if _is_address(host):
        return None if guard.is_permitted(host) else BLOCKED
    try:
        async with asyncio.timeout(_LOOKUP_SECONDS):
            addresses = await (resolver or DnsResolver())(host)
        return None if addresses and all(map(guard.is_permitted, addresses)) else UNRESOLVED
    except OSError:  # includes the timeout of a slow name server
        return UNRESOLVED


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def parse_endpoint_url(url: str, *, allow_http: bool = False) -> URL:
    """Parses a URL for requests: the host in ASCII, path and query unchanged."""
    if len(url) > LONGEST:
        raise _invalid_target("too_long", f"must have at most {LONGEST} characters")
    form = _FORM.fullmatch(url)
    if form is None or _UNSAFE.search(url):
        raise _form_error(url)
    if form["scheme"].lower() == "http" and not allow_http:
        raise _invalid_target("scheme_not_allowed", "must begin with https://")
    scheme, host = form["scheme"].lower(), _parse_host(form["host"])
    port = int(form["port"] or _DEFAULT_PORTS[scheme])
    _check_port(port, allow_http)
    authority = host if port == _DEFAULT_PORTS[scheme] else f"{host}:{port}"
    rest = quote((form["path"] or "/") + (form["query"] or ""), safe=_PRINTABLE)
    return URL(f"{scheme}://{authority}{rest}", encoded=True)


def without_query(url: str) -> str:
    """The URL as stored with attempts and logged: a query may hold a secret of the receiver."""
    return url.partition("?")[0]


def _parse_host(written: str) -> str:
    if written.startswith("["):
        try:
            return f"[{ipaddress.IPv6Address(written[1:-1])}]"
        except ValueError:
            raise _invalid_target("invalid_url", "the host is not a valid IPv6 address") from None
    try:
        host = written.lower() if written.isascii() else ascii_host(written)
    except ValueError:
        raise _invalid_target("invalid_url", "the host is not a valid international name") from None
    if not _NAME.fullmatch(host):
        raise _invalid_target("invalid_url", "the host is not a valid name")
    if _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        try:  # dotted decimal alone: systems disagree on 127.1, 0x7f.1 and 2130706433
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            detail = "write an IPv4 address as four decimal numbers, for example 198.51.100.7"
            raise _invalid_target("invalid_url", detail) from None
    return host


def _check_port(port: int, allow_any: bool) -> None:
    if allow_any and 1 <= port <= _LAST_PORT:
        return
    if port not in _PORTS and not _FIRST_FREE_PORT <= port <= _LAST_PORT:
        detail = f"the port must be {' or '.join(map(str, _PORTS))}, or 1024 and above"
        raise InvalidTargetError(UrlRejection("endpoint_not_allowed", "port_not_allowed", detail))


def _form_error(url: str) -> InvalidTargetError:
    scheme, separator, rest = url.partition("://")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if not separator or scheme.lower() not in ("http", "https"):
        return _invalid_target("scheme_not_allowed", "must begin with https://")
    if "@" in authority:
        detail = "must not contain a user name or password; verify the signature instead"
        return _invalid_target("userinfo_not_allowed", detail)
    if "#" in rest:
        return _invalid_target("fragment_not_allowed", "must not contain a fragment (#...): it is never sent")
    return _invalid_target("invalid_url", "must be a URL, for example https://hooks.example.com/company-events")


def _invalid_target(code: str, detail: str) -> InvalidTargetError:
    return InvalidTargetError(UrlRejection("validation_failed", code, detail))
