"""Deterministic ids: the same fact gets the same id from every source, run and rebuild.

See docs/contract/contract.md 4.0 and 4.6.
An id is a prefix and 26 characters of Crockford base32, lower case, of SHA-256 over the length-prefixed UTF-8
parts of the natural key. Length prefixes distinguish ("ab", "c") from ("a", "bc"); None and "" differ. Does not
belong here: ids that carry time (ULIDs of subscriptions and deliveries, `api`).
"""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH: Final = 26
PAIRS: Final = tuple(one + two for one in _ALPHABET for two in _ALPHABET)  # ten bits: two digits

Part = str | int | date | datetime | Decimal | None


def _length_prefixed(part: Part) -> bytes:
    if part is None:
        return b"-"
    if isinstance(part, Decimal):
        # 25, 25.0 and 25.0000 are the same percentage
        part = format(part.normalize(), "f")
    elif isinstance(part, datetime):
        # two states may become known a microsecond apart (a file that is issued again)
        part = f"{part.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    elif isinstance(part, date):
        part = part.isoformat()
    raw = str(part).encode()
    return str(len(raw)).encode() + b":" + raw


def natural_id(prefix: str, *parts: Part) -> str:
    """`prefix` + "_" + 26 characters that depend only on the parts."""
    number = int.from_bytes(hashlib.sha256(b"".join(map(_length_prefixed, parts))).digest()[:17])
    number >>= 17 * 8 - _LENGTH * 5
    digits: list[str] = []
    for _ in range(_LENGTH):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return f"{prefix}_{''.join(reversed(digits))}"


def filing_added_id(
    company_id: str, period_start: date | None, period_end: date | None, filing: str | None = None
) -> str:
    """Id of the event for a period's first filing; if the period is unknown, each `filing` has its own event."""
    what = filing if period_end is None and filing is not None else "added"
    return natural_id("evt", "filing.added", company_id, period_start, period_end, what)


def filing_updated_id(company_id: str, period_start: date | None, period_end: date, document: str) -> str:
    """Id of the event for a changed filing. `document`: the register's native id, else the document's SHA-256."""
    return natural_id("evt", "filing.updated", company_id, period_start, period_end, document)


def filing_returned_id(
    company_id: str, period_start: date | None, period_end: date, document: str, known_at: datetime
) -> str:
    """Id of the event for a filing whose figures count again after a retraction.

    known_at: the instant of the retraction: the document's own event has the same key without it.
    """
    return natural_id("evt", "filing.updated", company_id, period_start, period_end, document, known_at)


def status_changed_id(company_id: str, previous: str, current: str, effective: date, known_at: datetime) -> str:
    """Id of the event for one change of status.

    known_at: the instant at which the state became known (`known_from` of its row): a transition that repeats with
    the same dates is another event.
    """
    return natural_id("evt", "status.changed", company_id, previous, current, effective, known_at)


def company_changed_id(company_id: str, fields: tuple[str, ...], effective: date | None, known_at: datetime) -> str:
    """Id of the event for changed fields of a profile.

    fields: in the order of `warehouse.schema.codes.PROFILE_FIELDS`. effective: the register's own date. known_at: as in
    `status_changed_id`.
    """
    return natural_id("evt", "company.changed", company_id, ",".join(fields), effective, known_at)


def ownership_changed_id(
    company_id: str, holder_id: str, as_of: date, shares: tuple[Decimal, Decimal], known_at: datetime
) -> str:
    """Id of the event for one crossed threshold.

    shares: before and after, in percent. known_at: as in `status_changed_id`.
    """
    return natural_id("evt", "ownership.changed", company_id, holder_id, as_of, *shares, known_at)


def news_id(company_id: str, register: str, native_id: str) -> str:
    """Id of one news item of one company; `native_id`: the id by which its source groups it."""
    return natural_id("nws", company_id, register, native_id)


def news_published_id(company_id: str, native_id: str) -> str:
    """Id of the event of one news item; `native_id`: the id by which its first source groups it."""
    return natural_id("evt", "news.published", company_id, native_id)


def regulatory_event_id(authority: str, native_id: str, company_id: str) -> str:
    """Id of the event of one act of an authority that concerns one company."""
    return natural_id("evt", "event.regulatory", authority, native_id, company_id)


def filing_id(register: str, native_id: str) -> str:
    """Id of one document with a native id of its register."""
    return natural_id("fil", register, native_id)


def filing_id_of_bytes(company_id: str, period_end: date, is_consolidated: bool, sha256: str) -> str:
    """Id of one document without native id in the bulk file: uses the SHA-256 of its bytes."""
    return natural_id("fil", company_id, period_end, "group" if is_consolidated else "company", sha256)


def holder_id(company_id: str, register: str, source_key: str) -> str:
    """Id of one holder of one company, from the source key of its earliest observation."""
    return natural_id("own", company_id, register, source_key)
