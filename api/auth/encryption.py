"""Encryption of secrets at rest, authenticated, with keys outside the database (docs/contract/contract.md 4.8, 4.12).

The first key encrypts, every key decrypts. To rotate a key, put the new one first, and remove the old one when
nothing encrypted with it is needed any more. Does not belong here: where keys come from
(`api.auth.service_secrets`).
"""

import base64
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_BYTES = 32
_PURPOSE = b"firm sealing"


class SealingError(RuntimeError):
    """Stored data that none of the keys decrypts, or that was altered."""


class SecretBox:
    """Encrypts and decrypts texts; thread-safe."""

    __slots__ = ("_fernet",)

    def __init__(self, keys: Sequence[bytes]) -> None:
        derived = (HKDF(SHA256(), _BYTES, salt=None, info=_PURPOSE).derive(key) for key in keys)
        self._fernet = MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in derived])

    def seal(self, text: str) -> bytes:
        """Encrypts a text; the result differs each time and reveals only the length."""
        return self._fernet.encrypt(text.encode())

    def open(self, sealed: bytes) -> str:
        """Decrypts a text; raises SealingError."""
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken:
            raise SealingError(
                "a stored secret cannot be decrypted: add the key it was encrypted with to FIRM_SEALING_KEYS"
            ) from None
