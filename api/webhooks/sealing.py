"""Secrets at rest: encrypted and authenticated by keys that are not in the database.

See docs/contract/contract.md 4.8, 4.12.

The first key seals, every key opens, so that a key can be changed: put the new one first, and remove the old one
when nothing sealed by it is needed any more. Does not belong here: where keys come from (`api.secrets`).
"""

import base64
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_BYTES = 32
_PURPOSE = b"firm sealing"


class SealingError(RuntimeError):
    """What is stored was not sealed by any of the keys given, or was altered."""


class Sealer:
    """Seals texts and opens them again; safe from any thread."""

    __slots__ = ("_fernet",)

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._fernet = MultiFernet([Fernet(_derived(key)) for key in keys])

    def seal(self, text: str) -> bytes:
        """Another result each time; nothing of `text` but its length shows."""
        return self._fernet.encrypt(text.encode())

    def open(self, sealed: bytes) -> str:
        """The text again, or SealingError."""
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken:
            raise SealingError(
                "what is stored cannot be opened: name the key that sealed it in FIRM_SEALING_KEYS"
            ) from None


def _derived(key: bytes) -> bytes:
    """A key of any length from 32 bytes on as Fernet takes it."""
    derived = HKDF(SHA256(), _BYTES, salt=None, info=_PURPOSE).derive(key)
    return base64.urlsafe_b64encode(derived)
