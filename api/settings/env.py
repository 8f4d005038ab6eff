"""Reads settings from the environment: by name, within bounds, with an error that says what to write.

Does not belong here: the list of settings (`api.settings.service`, `api.settings.webhooks`).
"""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email import policy
from pathlib import Path
from typing import Final

from api.common.email_address import normalise_email
from api.settings.tiers import DEFAULT, TierCatalogue, TiersError, load_tiers

_ADDRESS: Final = re.compile(r"https?://(?:[0-9A-Za-z._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:/[0-9A-Za-z._~/-]*)?")
UNIX: Final = "unix"
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class SettingError(ValueError):
    """A setting is invalid; the message says which and what to write."""


@dataclass(frozen=True, slots=True)
class EnvReader:
    """Typed access to settings; an unset or empty one has its default."""

    environment: Mapping[str, str]

    def text(self, name: str, default: str) -> str:
        return self.environment.get(name, "").strip() or default

    def number(self, name: str, default: float, low: float, high: float) -> float:
        written = self.text(name, str(default))
        try:
            value = float(written)
        except ValueError:
            raise SettingError(f"{name} must be a number, not {written!r}") from None
        if not low <= value <= high:
            raise SettingError(f"{name} must be from {low:g} to {high:g}, not {written}")
        return value

    def integer(self, name: str, default: int, low: int, high: int) -> int:
        value = self.number(name, default, low, high)
        if not value.is_integer():
            raise SettingError(f"{name} must be a whole number, not {value:g}")
        return int(value)

    def flag(self, name: str, default: bool) -> bool:
        written = self.text(name, "true" if default else "false").lower()
        if written not in ("true", "false", "1", "0"):
            raise SettingError(f"{name} must be true or false, not {written!r}")
        return written in ("true", "1")

    def choice(self, name: str, default: str, allowed: tuple[str, ...]) -> str:
        written = self.text(name, default).lower()
        if written not in allowed:
            raise SettingError(f"{name} must be one of {', '.join(allowed)}, not {written!r}")
        return written

    def address(self, name: str, default: str) -> str:
        """A base URL: no query, no fragment, no credentials; a trailing slash is removed."""
        written = self.text(name, default)
        address = written.rstrip("/")
        if not _ADDRESS.fullmatch(address):
            raise SettingError(f"{name} must be a URL, for example https://api.example.com, not {written!r}")
        return address

    def proxies(self, name: str) -> tuple[str, ...]:
        """Addresses and networks, separated by commas, and `unix` for any local socket."""
        written = tuple(one for part in self.text(name, "").split(",") if (one := part.strip().lower()))
        try:
            for one in written:
                if one != UNIX:
                    ipaddress.ip_network(one, strict=False)
        except ValueError as error:
            raise SettingError(f"{name} must list addresses, networks or unix: {error}") from None
        return written

    def tiers(self, name: str) -> TierCatalogue:
        written = self.text(name, "")
        try:
            return load_tiers(Path(written)) if written else DEFAULT
        except TiersError as error:
            raise SettingError(f"{name}: {error}") from None

    def mailbox(self, name: str, default: str) -> str:
        """Sender of mail: one address, with or without a display name."""
        written = self.text(name, default)
        found = policy.SMTP.header_factory("From", written)
        if found.defects or len(found.addresses) != 1 or not found.addresses[0].addr_spec.isascii():
            raise SettingError(
                f"{name} must be an e-mail address, for example webhooks@example.com "
                f"or Example <webhooks@example.com>, not {written!r}"
            )
        return written

    def emails(self, name: str) -> frozenset[str]:
        """Normalised e-mail addresses, separated by commas."""
        written = [part for part in self.text(name, "").split(",") if part.strip()]
        found = {part: normalise_email(part) for part in written}
        for part, email in found.items():
            if email is None:
                raise SettingError(
                    f"{name} must list e-mail addresses, for example you@example.com, not {part.strip()!r}"
                )
        return frozenset(email for email in found.values() if email is not None)

    def networks(self, name: str) -> tuple[Network, ...]:
        """Networks in CIDR form, separated by commas."""
        written = [part.strip() for part in self.text(name, "").split(",") if part.strip()]
        try:
            return tuple(ipaddress.ip_network(part) for part in written)
        except ValueError as error:
            raise SettingError(f"{name} must list networks, for example 127.0.0.0/8: {error}") from None

    def seconds(self, name: str, default: tuple[float, ...], minimum: float, maximum: float) -> tuple[float, ...]:
        """Durations in seconds, separated by commas; as many as the default has."""
        written = self.text(name, ",".join(f"{one:g}" for one in default)).split(",")
        if len(written) != len(default):
            raise SettingError(f"{name} must list {len(default)} durations in seconds, not {len(written)}")
        try:
            spans = tuple(float(one) for one in written)
        except ValueError:
            raise SettingError(f"{name} must list numbers of seconds, not {','.join(written)!r}") from None
        if not all(minimum <= span <= maximum for span in spans):
            raise SettingError(f"{name} must list seconds from {minimum:g} to {maximum:g}")
        return spans
