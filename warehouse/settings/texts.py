"""Parses what settings of several areas say; the message of a ValueError is what follows the setting's name.

Does not belong here: flags, words and numbers, which pydantic reads, or what one area alone has.
"""

import base64
import ipaddress
import re
from pathlib import Path
from typing import Final

_ADDRESS: Final = re.compile(r"https?://(?:[0-9A-Za-z._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:/[0-9A-Za-z._~/-]*)?")
SECRET_BYTES: Final = 32
DATABASE: Final = (
    "Control-plane database (accounts, keys, usage); empty: SQLite in FIRM_DATA. For several machines PostgreSQL, as "
    "postgresql://user:password@host/firm; beside FIRM_OBJECT_STORE it also holds the leases of markets."
)
"""What FIRM_DATABASE_URL is, for the areas that read it."""
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def split_commas(text: str) -> list[str]:
    """The parts of a list, without blanks and empty ones."""
    return [one for part in text.split(",") if (one := part.strip())]


def parse_path(text: str) -> Path:
    """A path; `~` is the home folder, as in a shell, which does not see what `.env` and service files say."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise ValueError(f"must be a path: there is no home folder for {text!r}") from None


def parse_base_url(text: str) -> str:
    """A base URL: no query, no fragment, no credentials; a trailing slash is removed."""
    address = text.rstrip("/")
    if not _ADDRESS.fullmatch(address):
        raise ValueError(f"must be a URL, for example https://api.example.com, not {text!r}")
    return address


def parse_networks(text: str) -> tuple[Network, ...]:
    """Networks in CIDR form, separated by commas."""
    try:
        return tuple(ipaddress.ip_network(part) for part in split_commas(text))
    except ValueError as error:
        raise ValueError(f"must list networks, for example 127.0.0.0/8: {error}") from None


def parse_secret(text: str) -> bytes:
    """A secret in base64. The message never shows it."""
    try:
        secret = base64.b64decode(text, validate=True)
    except ValueError:
        secret = b""
    if len(secret) < SECRET_BYTES:
        raise ValueError(f"a secret is base64 of at least {SECRET_BYTES} bytes")
    return secret


def parse_secrets(text: str) -> tuple[bytes, ...]:
    """Secrets, separated by commas."""
    return tuple(parse_secret(part.strip()) for part in text.split(","))
