"""Events in the streams of Companies House on each day of a world (docs/formats/uk.md 7).

An event for every resource that differs from the day before, complete as in REST; and the noise of the real
streams: repeated events, the state before the change first, a document's image that arrives later, unchanged
resources. Numbers rise with gaps in each stream separately; instants mostly have no zone and do not rise with
the numbers. Does not belong here: connections (`stream_http`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Any, Final

from sandbox.uk.rest_resources import (
    COMPANIES,
    EXEMPTIONS,
    FILINGS,
    INSOLVENCY,
    PSC,
    STATEMENTS,
    STREAMS,
    ApiResource,
    company_resources,
)
from sandbox.world import World

QUIET: Final = ("officers", "charges", "disqualified-officers")  # streams without events in the world
_FIRST: Final = {
    COMPANIES: 80_000_000,
    FILINGS: 170_000_000,
    INSOLVENCY: 600_000,
    PSC: 12_000_000,
    STATEMENTS: 3_000_000,
    EXEMPTIONS: 2_400,
}
_OF_A_DAY: Final = 100_000
_UNCHANGED: Final = 3  # unchanged resources of each stream that are published every day
_LOOKED_AT: Final = 60  # companies among which those are chosen
_NIGHT: Final = time(1, 30)


@dataclass(frozen=True, slots=True)
class StreamLine:
    """One event: its number, and its line without the line end."""

    timepoint: int
    line: bytes


@dataclass(frozen=True, slots=True)
class _ResourceChange:
    """An event's content; `data` None if it has none, `fields` the fields reported as changed."""

    resource: ApiResource
    kind: str = "changed"
    data: dict[str, Any] | None = None
    fields: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def day_events(world: World, day: int, stream: str) -> tuple[StreamLine, ...]:
    """The events of one day, in the order of their numbers."""
    if stream not in _FIRST:
        return ()
    found = [change for change in _day_changes(world, day) if change.resource.stream == stream]
    base = _FIRST[stream] + day * _OF_A_DAY
    return tuple(
        StreamLine(base + place * 7 + place % 3, _event_line(world, day, change, base + place * 7 + place % 3, place))
        for place, change in enumerate(found, start=1)
    )


@lru_cache(maxsize=64)
def _day_changes(world: World, day: int) -> tuple[_ResourceChange, ...]:
    """All events of a day: the state before, the changes, and then some of them again."""
    first: list[_ResourceChange] = []
    second: list[_ResourceChange] = []
    for company in world.changing("UK", day):
        for place, change in enumerate(_company_changes(world, company.position, day)):
            before = company_resources(world, company.position, day - 1).get(change.resource.uri)
            if before is not None and company.position % 2 == place % 2:
                first.append(_ResourceChange(before, data=before.data))
            first.append(change)
            if company.position % 3 == place % 3 and change.kind == "changed":
                second.append(_repeated_change(change))
    return (*first, *second, *_unchanged_resources(world, day))


def _company_changes(world: World, position: int, day: int) -> Iterator[_ResourceChange]:
    before, after = company_resources(world, position, day - 1), company_resources(world, position, day)
    for uri, resource in after.items():
        if uri not in before or before[uri].data != resource.data:
            yield _ResourceChange(resource, data=resource.data)
    for place, uri in enumerate(sorted(before.keys() - after.keys())):
        gone = before[uri]
        left = {"links": {"self": uri}} if place % 2 else None  # reduced, or no data at all
        yield _ResourceChange(gone, "deleted", left)


def _repeated_change(change: _ResourceChange) -> _ResourceChange:
    """The same event within seconds; for a filing, because its image has arrived."""
    fields = ("links.document_metadata",) if change.resource.stream == FILINGS else ("etag",)
    return _ResourceChange(change.resource, data=change.data, fields=fields)


def _unchanged_resources(world: World, day: int) -> Iterator[_ResourceChange]:
    """Some unchanged resources of each stream, so that every day has events in every stream."""
    moving = {company.position for company in world.changing("UK", day)}
    counts: dict[str, int] = dict.fromkeys(STREAMS, 0)
    for position in range(min(_LOOKED_AT, world.count("UK", 0))):
        if position in moving:
            continue
        for resource in company_resources(world, position, day).values():
            if counts[resource.stream] < _UNCHANGED:
                counts[resource.stream] += 1
                yield _ResourceChange(resource, data=resource.data)


def _event_line(world: World, day: int, change: _ResourceChange, timepoint: int, place: int) -> bytes:
    resource = change.resource
    event: dict[str, Any] = {
        "timepoint": timepoint,
        "published_at": _publication_time(world, day, resource.stream, place),
        "type": change.kind,
    }
    if change.fields:
        event = {"fields_changed": list(change.fields), **event}
    slash = resource.uri.removeprefix("/") if resource.stream == EXEMPTIONS else resource.uri
    envelope = {
        "resource_kind": resource.kind,
        "resource_uri": slash,
        "resource_id": resource.identity,
        **({} if change.data is None else {"data": dict(sorted(change.data.items()))}),
        "event": event,
    }
    return json.dumps(envelope, ensure_ascii=False, separators=(",", ":")).encode()


def _publication_time(world: World, day: int, stream: str, place: int) -> str:
    """An instant of the night; neighbouring events are dated in reverse order."""
    at = datetime.combine(world.date(day), _NIGHT) + timedelta(seconds=place ^ 1)
    if stream == EXEMPTIONS:
        return f"{at.isoformat()}.742120Z"
    return f"{at.isoformat()}.812779+00:00" if stream == STATEMENTS else at.isoformat()
