"""Cursors: opaque, encrypted, bound to account, endpoint and filters (docs/contract/contract.md «Cursor»).

A cursor carries the sort key of the last row (keyset pagination: rows inserted or deleted between pages neither
repeat nor hide others). It is encrypted, as a sort key is data: a name or a revenue. Does not belong here: querying a
page (`warehouse.reader.reader`).
"""

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from api.common.clock import Clock
from api.problems.problem import ProblemDetail, ProblemError, new_problem
from warehouse.reader.types import Key

MAX_LENGTH: Final = 512
LIFETIME_SECONDS: Final = 7 * 24 * 3600
PERIOD_SECONDS: Final = LIFETIME_SECONDS // 2
"""How long one tag may confirm a page whose cursor expires: such a cursor is valid for as long again."""

_VERSION: Final = b"\x02"
_SIGNED: Final = b"\x01"
"""Cursors that were signed only, read as long as they are valid: a stored tail of events never ends."""
_TAG: Final = 16
_PURPOSE: Final = b"firm cursor"
_FILTER_HASH: Final = 8


class _CursorPayload(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    account: str
    endpoint: str
    filters: bytes
    key: list[str | int | None]
    direction: str
    issued_at: int


@dataclass(frozen=True, slots=True)
class CursorBinding:
    """The context a cursor is valid in. A `lasting` one (ascending events) has no account and never expires."""

    account_id: str
    endpoint: str
    filters: bytes
    direction: str = "asc"
    lasting: bool = False


def filter_hash(*filters: Any) -> bytes:
    """Eight-byte hash of the filters."""
    return hashlib.sha256(msgspec.json.encode(filters)).digest()[:_FILTER_HASH]


class CursorCipher:
    """Issues and verifies cursors. The first key encrypts; every key decrypts."""

    def __init__(self, keys: tuple[bytes, ...], clock: Clock) -> None:
        self._keys = keys
        self._ciphers = [AESSIV(HKDF(SHA256(), 64, salt=None, info=_PURPOSE).derive(key)) for key in keys]
        self._clock = clock
        self._decoder = msgspec.msgpack.Decoder(_CursorPayload)

    def issue(self, binding: CursorBinding, key: Key) -> str:
        """The cursor that continues after the row with this sort key."""
        payload = _CursorPayload(
            account="" if binding.lasting else binding.account_id,
            endpoint=binding.endpoint,
            filters=binding.filters,
            key=list(key),
            direction=binding.direction,
            # of one place always the same, so that a tag confirms polls that find nothing new
            issued_at=0 if binding.lasting else int(self._clock.wall()),
        )
        sealed = self._ciphers[0].encrypt(msgspec.msgpack.encode(payload), [_VERSION])
        return base64.urlsafe_b64encode(_VERSION + sealed).rstrip(b"=").decode()

    def read(self, text: str, binding: CursorBinding) -> Key:
        """The sort key to continue after, or a 400 with the reason the cursor is rejected."""
        payload = self._verified_payload(text)
        if payload.account not in ("", binding.account_id):
            raise invalid_cursor()
        account = "" if binding.lasting else binding.account_id
        asked = (account, binding.endpoint, binding.filters, binding.direction)
        if (payload.account, payload.endpoint, payload.filters, payload.direction) != asked:
            raise new_problem(
                "cursor_mismatch",
                "The cursor was issued for different filters. Only 'limit' may change between pages.",
                ProblemDetail("mismatch", "filters differ", parameter="cursor"),
            )
        if not binding.lasting and self._clock.wall() - payload.issued_at > LIFETIME_SECONDS:
            raise new_problem(
                "cursor_expired",
                "Cursors are valid for 7 days.",
                ProblemDetail("expired", "start again without a cursor", parameter="cursor"),
            )
        return tuple(payload.key)

    def _verified_payload(self, text: str) -> _CursorPayload:
        """Verifies a cursor before any of it is decoded."""
        raw = _decode_base64(text)
        content = self._decrypted(raw) if raw[:1] == _VERSION else self._signed_content(raw)
        try:
            return self._decoder.decode(content)
        except msgspec.MsgspecError:
            raise invalid_cursor() from None

    def _decrypted(self, raw: bytes) -> bytes:
        for cipher in self._ciphers if len(raw) > 1 + _TAG else ():
            try:
                return cipher.decrypt(raw[1:], [_VERSION])
            except InvalidTag:  # perhaps of another key
                continue
        raise invalid_cursor()

    def _signed_content(self, raw: bytes) -> bytes:
        signed, tag = raw[:-_TAG], raw[-_TAG:]
        is_ours = any(hmac.compare_digest(_cursor_signature(key, signed), tag) for key in self._keys)
        if not is_ours or signed[:1] != _SIGNED:
            raise invalid_cursor()
        return signed[1:]


def _cursor_signature(key: bytes, signed: bytes) -> bytes:
    return hmac.digest(key, b"cursor" + signed, "sha256")[:_TAG]


def _decode_base64(text: str) -> bytes:
    if len(text) > MAX_LENGTH or not text.isascii():
        raise invalid_cursor()
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise invalid_cursor() from None
    # rejects non-canonical base64 (skipped characters, loose end bits): one cursor has one spelling
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != text:
        raise invalid_cursor()
    return raw


def invalid_cursor() -> ProblemError:
    """400 for a cursor that is not ours, was altered, or has a sort key that no current list uses."""
    return new_problem(
        "invalid_cursor",
        "The cursor was not issued by this service or was altered.",
        ProblemDetail("invalid", "start again without a cursor", parameter="cursor"),
    )
