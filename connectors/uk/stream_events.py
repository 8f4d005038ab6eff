"""The Companies House streams: names, which are read, and the event envelope (docs/formats/uk.md 7).

Belongs here: names, the envelope, recognising a stream's bodies. Does not belong here: keeping a connection
(`streaming_api.connection`), or the data of one resource kind (`streaming_api.rows`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

import msgspec

from connectors.contract.dataset import HostLimit
from connectors.contract.pieces import NotApplicable, RecognisedFile, Scope
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.json.chunks import decode_object
from connectors.uk.register import canonical_number
from warehouse.schema.types import Column, ColumnKind

HOST: Final = "stream.companieshouse.gov.uk"
LIMIT: Final = HostLimit(HOST, 1.0)  # connections
NOT_READ: Final = {
    "company-charges": "charges: no served field uses them",
    "company-officers": "officers: persons without a holding, in no served field",
    "disqualified-officer-natural": "disqualified officers: persons without a company",
    "disqualified-officer-corporate": "disqualified officers: without a company number",
}
LONDON: Final = ZoneInfo("Europe/London")  # time zone of stream times without one
EVENT_TYPES: Final = (None, "changed", "deleted")  # an event of another type may mean anything: it changes nothing
_COMPANY: Final = re.compile(r"(?:^|/)company/([A-Za-z0-9]{1,10})(?:/|$)")
TIMEPOINT: Final = Column("timepoint", ColumnKind.INTEGER, "position in its stream; null for other channels")
PUBLISHED: Final = Column(
    "published_at",
    ColumnKind.INSTANT,
    "when the stream reported it or a response was given; null for files",
    business=False,
)
_ADDRESS: Final = re.compile(rb'"resource_uri"\s*:\s*"([^"]+)"')
_PUBLISHED: Final = re.compile(rb'"published_at"\s*:\s*"([^"]+)"')


Timepoint = Annotated[int, msgspec.Meta(ge=0, le=10**18 - 1)]  # otherwise invalid and not usable as a resume position


class StreamEvent(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """Event metadata of one change."""

    timepoint: Timepoint | None = None
    published_at: str | None = None
    type: str | None = None
    fields_changed: list[str] | None = None


def company_number_of(address: str | None) -> str | None:
    """Company number in a resource address, with or without leading slash; None if there is none."""
    found = _COMPANY.search(address or "")
    return None if found is None else canonical_number(found.group(1))


def last_segment(address: str | None) -> str | None:
    """Last segment of a resource address: the resource id."""
    return (address or "").rstrip("/").rpartition("/")[2] or None


def parse_published(text: str) -> datetime | None:
    """Time of an event in UTC; None if invalid."""
    try:
        instant = datetime.fromisoformat(text)
        return (instant if instant.tzinfo else instant.replace(tzinfo=LONDON)).astimezone(UTC)
    except (ValueError, OverflowError):  # the minimum or maximum date, converted from another zone
        return None


def parse_iso_day(text: str | None) -> date | None:
    """Day as the register writes it; None if absent or invalid."""
    try:
        return date.fromisoformat((text or "").strip())
    except ValueError:
        return None


def first_record(head: bytes) -> dict[str, Any] | None:
    """First JSON object of a body: the whole body, else its first line; None if neither parses."""
    whole = decode_object(head)
    return whole if whole is not None else decode_object(next(filter(bytes.strip, head.splitlines()), b""))


def newest_published(head: bytes) -> datetime | None:
    """Newest publication time among the events of a body; None if there is none."""
    found = (parse_published(text.decode(errors="replace")) for text in _PUBLISHED.findall(head))
    return max((instant for instant in found if instant is not None), default=None)


def _names_company(first: dict[str, Any], head: bytes) -> bool:
    """True if the first event or a later one names a company: the others are rejects of their own."""
    addresses = (text.decode(errors="replace") for text in _ADDRESS.findall(head))
    return any(
        company_number_of(address) is not None for address in (str(first.get("resource_uri", "/company/0")), *addresses)
    )


def build_recogniser(
    kind: str, is_api_response: Callable[[str, dict[str, Any]], bool], description: str
) -> Callable[[str, bytes], RecognisedFile | NotApplicable]:
    """Builds a dataset's `recognise`: events of one resource kind, or REST responses accepted by `is_api_response`."""

    def recognise(name: str, head: bytes) -> RecognisedFile | NotApplicable:
        head = decompressed_head(head)
        if detect_body_format(head) is not BodyFormat.JSON:
            return NotApplicable(f"expected {description} in JSON, found {detect_body_format(head).value}")
        first = first_record(head)
        if first is None and f'"resource_kind":"{kind}"'.encode() in head[:200].replace(b" ", b""):
            first = {"resource_kind": kind}
        if first is None:
            return NotApplicable(f"JSON in which {description} was not found at the beginning")
        if "resource_kind" not in first:
            is_ours = is_api_response(name, first)
            return (
                RecognisedFile(None, Scope.PART)
                if is_ours
                else NotApplicable(f"JSON of another kind than {description}")
            )
        if first["resource_kind"] != kind:
            return NotApplicable(NOT_READ.get(str(first["resource_kind"]), f"a stream's events, none of {description}"))
        if not _names_company(first, head):
            return NotApplicable("events that name no company")
        return RecognisedFile(newest_published(head), Scope.FEED)

    return recognise
