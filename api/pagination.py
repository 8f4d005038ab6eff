"""Cursors: opaque, signed, bound to account, endpoint and filters (docs/contract/contract.md «Cursor»).

A cursor carries the sort key of the last row (keyset paging: rows that come or go between pages neither
repeat nor hide others). Does not belong here: how a page is found (`warehouse.reader`).
"""

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from api.clock import Clock
from api.problems import InputError, Problem, problem
from warehouse.reading import Key

MAX_LENGTH: Final = 512
LIFETIME_SECONDS: Final = 7 * 24 * 3600

_VERSION: Final = b"\x01"
_TAG: Final = 16
_FILTER_HASH: Final = 8


class _Payload(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    account: str
    endpoint: str
    filters: bytes
    key: list[str | int | None]
    direction: str
    issued_at: int


@dataclass(frozen=True, slots=True)
class Binding:
    """What a cursor belongs to. A lasting one (ascending events) has no account and never expires."""

    account_id: str
    endpoint: str
    filters: bytes
    direction: str = "asc"
    lasting: bool = False


def filter_hash(*filters: Any) -> bytes:
    """Eight bytes that change when any filter does."""
    return hashlib.sha256(msgspec.json.encode(filters)).digest()[:_FILTER_HASH]


class Cursors:
    """Makes and reads cursors. The first key signs; every key verifies."""

    def __init__(self, keys: tuple[bytes, ...], clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._decoder = msgspec.msgpack.Decoder(_Payload)

    def issue(self, binding: Binding, key: Key) -> str:
        """The cursor that continues after the row with this sort key."""
        payload = _Payload(
            account="" if binding.lasting else binding.account_id,
            endpoint=binding.endpoint,
            filters=binding.filters,
            key=list(key),
            direction=binding.direction,
            issued_at=int(self._clock.wall()),
        )
        signed = _VERSION + msgspec.msgpack.encode(payload)
        return base64.urlsafe_b64encode(signed + _sign(self._keys[0], signed)).rstrip(b"=").decode()

    def read(self, text: str, binding: Binding) -> Key:
        """The sort key to go on after, or the 400 that says why the cursor cannot be used."""
        payload = self._verified(text)
        if payload.account not in ("", binding.account_id):
            raise invalid_cursor()
        account = "" if binding.lasting else binding.account_id
        asked = (account, binding.endpoint, binding.filters, binding.direction)
        if (payload.account, payload.endpoint, payload.filters, payload.direction) != asked:
            raise problem(
                "cursor_mismatch",
                "The cursor was issued for other filters. Only 'limit' may change between pages.",
                InputError("mismatch", "filters differ", parameter="cursor"),
            )
        if not binding.lasting and self._clock.wall() - payload.issued_at > LIFETIME_SECONDS:
            raise problem(
                "cursor_expired",
                "Cursors are valid for 7 days.",
                InputError("expired", "start again without a cursor", parameter="cursor"),
            )
        return tuple(payload.key)

    def _verified(self, text: str) -> _Payload:
        """Signature first: nothing of a cursor is decoded before it is known to be ours."""
        raw = _decode(text)
        signed, tag = raw[:-_TAG], raw[-_TAG:]
        if not any(hmac.compare_digest(_sign(key, signed), tag) for key in self._keys):
            raise invalid_cursor()
        if signed[:1] != _VERSION:
            raise invalid_cursor()
        try:
            return self._decoder.decode(signed[1:])
        except msgspec.MsgspecError:
            raise invalid_cursor() from None


def _sign(key: bytes, signed: bytes) -> bytes:
    return hmac.digest(key, b"cursor" + signed, "sha256")[:_TAG]


def _decode(text: str) -> bytes:
    if len(text) > MAX_LENGTH or not text.isascii():
        raise invalid_cursor()
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise invalid_cursor() from None
    # one cursor has one spelling: characters that decoding skips, and loose end bits, are refused
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != text:
        raise invalid_cursor()
    return raw


def invalid_cursor() -> Problem:
    """The 400 for a cursor that is not ours, was altered, or names a place that no list of today has."""
    return problem(
        "invalid_cursor",
        "The cursor was not issued by this service or was altered.",
        InputError("invalid", "start again without a cursor", parameter="cursor"),
    )
