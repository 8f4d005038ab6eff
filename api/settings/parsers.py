"""Parses what the service's settings say; the message of a ValueError is what follows the setting's name.

Does not belong here: the list of settings (`api.settings.service`); flags, words and numbers, which pydantic reads.
"""

import ipaddress
import re
from email import policy
from typing import Final

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from api.common.email_address import normalise_email
from api.settings.tiers import TierCatalogue, TiersError, load_tiers
from warehouse.settings.texts import parse_path, split_commas

_PUBLISHABLE: Final = re.compile(r"firm_public_[0-9A-Za-z]{42}")
_PRICE: Final = re.compile(r"([a-z][a-z0-9_]{0,19})=(price_[0-9A-Za-z_]{1,200})")
_HOST: Final = re.compile(r"[a-z0-9._-]{1,253}(?::[0-9]{1,5})?")
_WEEK_SECONDS: Final = 7 * 86_400
_WAITS: Final = 5
UNIX: Final = "unix"


def parse_database_url(text: str) -> str:
    """A URL of SQLAlchemy, of a database that the service knows; the message never shows the password."""
    try:
        backend = make_url(text).get_backend_name()
    except (ArgumentError, ValueError) as error:
        reason = str(error)
    else:
        if backend in ("sqlite", "postgresql"):
            return text
        reason = f"{backend} is neither SQLite nor PostgreSQL"
    raise ValueError(
        f"is not a database URL ({reason}): use postgresql://user:password@host/name, or leave it empty for SQLite"
    )


def parse_proxies(text: str) -> tuple[str, ...]:
    """Addresses and networks, separated by commas, and `unix` for any local socket."""
    written = tuple(part.lower() for part in split_commas(text))
    try:
        for one in written:
            if one != UNIX:
                ipaddress.ip_network(one, strict=False)
    except ValueError as error:
        raise ValueError(f"must list addresses, networks or unix: {error}") from None
    return written


def parse_hosts(text: str) -> tuple[str, ...]:
    """Hosts, each with a port or without, separated by commas."""
    found = tuple(part.lower() for part in split_commas(text))
    if wrong := [one for one in found if not _HOST.fullmatch(one)]:
        raise ValueError(f"must list hosts, for example s3.example.com or 127.0.0.1:9000, not {wrong[0]!r}")
    return found


def parse_emails(text: str) -> frozenset[str]:
    """Normalised e-mail addresses, separated by commas."""
    found = {part: normalise_email(part) for part in split_commas(text)}
    if wrong := [part for part, email in found.items() if email is None]:
        raise ValueError(f"must list e-mail addresses, for example you@example.com, not {wrong[0]!r}")
    return frozenset(email for email in found.values() if email is not None)


def parse_publishable_key(text: str) -> str:
    """A key of the kind firm_public_…; empty: none."""
    if text and _PUBLISHABLE.fullmatch(text) is None:
        raise ValueError("must be a publishable key, firm_public_… with 42 letters and digits, or empty")
    return text


def parse_mailbox(text: str) -> str:
    """Sender of mail: one address, with or without a display name."""
    found = policy.SMTP.header_factory("From", text)
    if found.defects or len(found.addresses) != 1 or not found.addresses[0].addr_spec.isascii():
        raise ValueError(
            "must be an e-mail address, for example webhooks@example.com or Example <webhooks@example.com>, "
            f"not {text!r}"
        )
    return text


def parse_waits(text: str) -> tuple[float, ...]:
    """Seconds between attempts, separated by commas: one less than the attempts that the API promises."""
    written = text.split(",")
    if len(written) != _WAITS:
        raise ValueError(f"must list {_WAITS} durations in seconds, not {len(written)}: {text!r}")
    try:
        waits = tuple(float(one) for one in written)
    except ValueError:
        raise ValueError(f"must list numbers of seconds, not {text!r}") from None
    if not all(0 <= wait <= _WEEK_SECONDS for wait in waits):
        raise ValueError(f"must list seconds from 0 to {_WEEK_SECONDS}, not {text!r}")
    return waits


def parse_prices(text: str) -> tuple[tuple[str, str], ...]:
    """Tiers with prices of Stripe, separated by commas; a price belongs to one tier."""
    prices: dict[str, str] = {}
    for part in split_commas(text):
        found = _PRICE.fullmatch(part)
        if found is None:
            raise ValueError(f"must list tiers with prices, for example pro=price_…, not {part!r}")
        tier, price = found.groups()
        if price in prices:
            raise ValueError(f"{price} is given twice")
        prices[price] = tier
    return tuple((tier, price) for price, tier in prices.items())


def parse_tiers(text: str) -> TierCatalogue:
    """The built-in tiers with the changes of a file."""
    try:
        return load_tiers(parse_path(text))
    except TiersError as error:
        raise ValueError(str(error)) from None
