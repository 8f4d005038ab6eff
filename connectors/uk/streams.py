"""The streams of Companies House: which there are, which are read, and what every event has (docs/formats/uk.md 7).

Belongs here: names, the envelope, how a body is told to be one of a stream's. Does not belong here: keeping a
connection (`streams_fetch`), or what the data of one kind mean (`live_records`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

import msgspec

from connectors.declare import NotOurs, Recognised, Scope
from connectors.kit.chunks import MALFORMED
from connectors.kit.formats import Format, opening, sniff
from connectors.uk.numbers import canonical_number
from warehouse.schema.types import Column, Kind

HOST: Final = "stream.companieshouse.gov.uk"
NOT_READ: Final = {
    "company-charges": "charges: no served field comes from them",
    "company-officers": "officers: persons without a holding, whom no served field names",
    "disqualified-officer-natural": "disqualified officers: persons, of whom no company is told",
    "disqualified-officer-corporate": "disqualified officers: no company is told of them by number",
}
_LONDON: Final = ZoneInfo("Europe/London")  # what the stream means by a time without zone
_COMPANY: Final = re.compile(r"(?:^|/)company/([A-Za-z0-9]{1,10})(?:/|$)")
TIMEPOINT: Final = Column("timepoint", Kind.INTEGER, "place in its stream; null for other doors")
PUBLISHED: Final = Column(
    "published_at",
    Kind.INSTANT,
    "when the stream told so, or an answer was given; null for files",
    business=False,
)
_PUBLISHED: Final = re.compile(rb'"published_at"\s*:\s*"([^"]{1,40})"')


Timepoint = Annotated[
    int, msgspec.Meta(ge=0, le=10**18 - 1)
]  # else it is garbage, and no place to go on from


class Event(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """What the stream says about one change."""

    timepoint: Timepoint | None = None
    published_at: str | None = None
    type: str | None = None
    fields_changed: list[str] | None = None


def company_of(address: str | None) -> str | None:
    """The company of an address, with or without its first slash; None where it names none."""
    found = _COMPANY.search(address or "")
    return None if found is None else canonical_number(found.group(1))


def last_of(address: str | None) -> str | None:
    """The last segment of an address: the id of what it names."""
    return (address or "").rstrip("/").rpartition("/")[2] or None


def published(text: str) -> datetime | None:
    """An instant of an event in UTC; None for what is none."""
    try:
        instant = datetime.fromisoformat(text)
        return (instant if instant.tzinfo else instant.replace(tzinfo=_LONDON)).astimezone(UTC)
    except (ValueError, OverflowError):  # the first or last day there is, in another zone
        return None


def first_record(head: bytes) -> dict[str, Any] | None:
    """The first JSON object of a body: the whole of it, else its first line; None where neither reads."""
    lines = (line for line in head.splitlines() if line.strip())
    for text in (head, next(lines, b"")):
        try:
            found = msgspec.json.decode(text)
        except MALFORMED:
            continue
        return found if isinstance(found, dict) else None
    return None


def recogniser(
    kind: str, is_answer: Callable[[str, dict[str, Any]], bool], what: str
) -> Callable[[str, bytes], Recognised | NotOurs]:
    """A dataset's `recognise`: events of one resource kind, or answers of the REST API that `is_answer` knows."""

    def recognise(name: str, head: bytes) -> Recognised | NotOurs:
        head = opening(head)
        if sniff(head) is not Format.JSON:
            return NotOurs(f"{sniff(head).value} where {what} in JSON was due")
        first = first_record(head)
        if first is None and f'"resource_kind":"{kind}"'.encode() in head[:200].replace(b" ", b""):
            first = {"resource_kind": kind}
        if first is None:
            return NotOurs(f"JSON in which {what} was not found at the beginning")
        if "resource_kind" not in first:
            is_ours = is_answer(name, first)
            return Recognised(None, Scope.PART) if is_ours else NotOurs(f"JSON of another kind than {what}")
        if first["resource_kind"] != kind:
            return NotOurs(NOT_READ.get(str(first["resource_kind"]), f"a stream's events, none of {what}"))
        if company_of(str(first.get("resource_uri", "/company/0"))) is None:
            return NotOurs("an event that names no company")
        instants = [published(text.decode("ascii", "replace")) for text in _PUBLISHED.findall(head)]
        return Recognised(max((at for at in instants if at is not None), default=None), Scope.FEED)

    return recognise
