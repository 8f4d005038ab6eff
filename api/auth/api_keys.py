"""Format of API keys (docs/contract/keys-and-limits.md 3.1): prefix, 36 random characters, 6 of checksum.

The checksum lets scanners and this service detect a typing error without a look-up. Also the random tokens of the
dashboard, for mailed links and browser sessions; they have a prefix, so that logs can redact them
(`api.common.redaction`). Does not belong here: storing keys and digests (`api.accounts`), or access control
(`api.http.access_control`).
"""

import hmac
import re
import secrets
import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, cast

KeyKind = Literal["live", "secret", "public"]
KeyState = Literal["active", "revoked", "expired"]
KINDS: Final[tuple[KeyKind, ...]] = ("live", "secret", "public")

_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM: Final = 36
_CHECKSUM: Final = 6
_PATTERN: Final = re.compile(rf"firm_(live|secret|public)_[0-9A-Za-z]{{{_RANDOM + _CHECKSUM}}}", re.ASCII)
_SHOWN: Final = 4


def _key_checksum(text: str) -> str:
    number = zlib.crc32(text.encode())
    digits: list[str] = []
    for _ in range(_CHECKSUM):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def make_key(kind: KeyKind) -> str:
    """Creates a key; it is shown once and only its digest is stored."""
    body = f"firm_{kind}_" + "".join([secrets.choice(_ALPHABET) for _ in range(_RANDOM)])
    return body + _key_checksum(body)


def key_kind(key: str) -> KeyKind | None:
    """The kind of a well-formed key with a valid checksum; None for anything else."""
    found = _PATTERN.fullmatch(key)
    if found is None or _key_checksum(key[:-_CHECKSUM]) != key[-_CHECKSUM:]:
        return None
    return cast("KeyKind", found.group(1))


def key_digest(key: str, pepper: bytes) -> bytes:
    """The digest that is stored and looked up. A key has 214 bits: a slow hash would add no security."""
    return hmac.digest(pepper, key.encode(), "sha256")


def displayable_parts(key: str) -> tuple[str, str]:
    """The displayable parts: the prefix with the next four characters, and the last four."""
    prefix = key.index("_", len("firm_")) + 1
    return key[: prefix + _SHOWN], key[-_SHOWN:]


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """An API key with the account fields that access control needs. The key itself is not stored."""

    key_id: str
    account_id: str
    kind: KeyKind
    label: str | None
    shown_prefix: str
    shown_last: str
    domains: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    tier: str
    account_status: str
    month: int = 0
    """The month of `used`; 0 if usage was not queried."""
    used: int = 0

    def state(self, now: datetime) -> KeyState:
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"


TokenKind = Literal["link", "session", "visitor"]
_BYTES: Final = 32
_DIGITS: Final = re.compile(rf"[0-9a-f]{{{2 * _BYTES}}}")


def make_token(kind: TokenKind) -> str:
    """Creates a token of 256 random bits."""
    return f"firm_{kind}_{secrets.token_hex(_BYTES)}"


def is_token(kind: TokenKind, text: str) -> bool:
    """True if a text has the form of a token; anything else is rejected without a database query."""
    prefix = f"firm_{kind}_"
    return text.startswith(prefix) and _DIGITS.fullmatch(text, len(prefix)) is not None
