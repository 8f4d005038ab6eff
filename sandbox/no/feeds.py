"""Simulates the three change feeds of Enhetsregisteret: entries of all days up to one, and faults.

See docs/formats/no.md 3.

Ids increase with gaps. Entries of entities carry patches if a member changed, nothing if an entity is new, deleted
or removed; a monthly wave only updates employee counts. Belongs here: which entries there are, and pages of them.
Does not belong here: paths and HTTP (`http`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sandbox.model.company import Company
from sandbox.no import enheter, underenheter
from sandbox.no.enheter import HOST
from sandbox.world import World

ENTITIES, SUB_UNITS, ROLES = "enheter", "underenheter", "roller"
COLLECTIONS: Final = {ENTITIES: "oppdaterteEnheter", SUB_UNITS: "oppdaterteUnderenheter"}
WAVE_ON: Final = 1  # day number of the update of employee counts
_WAVE: Final = 25
_FIRST: Final = 25_000_000
_DAY: Final = 100_000
_GAP: Final = 7
_LARGEST: Final = 10_000
_COUNTS: Final = ("registreringsdatoAntallAnsatteEnhetsregisteret", "registreringsdatoAntallAnsatteNAVAaregisteret")
Entry = dict[str, Any]
Query = Mapping[str, str]


@dataclass(slots=True)
class FeedFaults:
    """Faults of the feeds: duplicate or unordered entries, an ignored start parameter, entries not yet visible.

    `withheld`: ids that are not visible yet. `largest`: maximum page size, whatever size is requested.
    """

    duplicates_entries: bool = False
    is_shuffled: bool = False
    replayed: bool = False
    withheld: frozenset[int] = frozenset()
    largest: int = _LARGEST
    removed: frozenset[str] = field(default_factory=frozenset)


def feed_entries(world: World, day: int, stream: str, feed_faults: FeedFaults) -> list[Entry]:
    """Entries of one feed up to a day, oldest first, with gaps between ids."""
    found: list[Entry] = []
    for number in range(day + 1):
        made = _day_entries(world, number, stream, feed_faults)
        for place, entry in enumerate(made, start=1):
            minute, second = divmod(place, 60)
            stamp = f"{world.date(number)}T{minute // 60:02}:{minute % 60:02}:{second:02}.{place % 1000:03}Z"
            found.append({"oppdateringsid": _FIRST + number * _DAY + place * _GAP, "dato": stamp, **entry})
    return [entry for entry in found if entry["oppdateringsid"] not in feed_faults.withheld]


def _day_entries(world: World, day: int, stream: str, temper: FeedFaults) -> Iterator[Entry]:
    if day == 0:  # initial rows, which carry no information
        first = [world.company("NO", position, 0) for position in range(min(5, world.count("NO", 0)))]
        yield from (_feed_entry(company.number, "Ukjent") for company in first if stream == ENTITIES)
        return
    for company in world.changing("NO", day):
        yield from _company_entries(world, company, day, stream)
    if stream == ENTITIES and day == WAVE_ON:
        yield from _employee_count_wave(world, day)
        yield from (_feed_entry(number, "Fjernet") for number in sorted(temper.removed))


def _company_entries(world: World, company: Company, day: int, stream: str) -> Iterator[Entry]:
    is_new = day == 0 or company.position >= world.count("NO", day - 1)
    before = None if is_new else world.company("NO", company.position, day - 1)
    if stream == ROLES:
        if before is None or before.norwegian.owners != company.norwegian.owners or _has_ended(before, company):
            yield _feed_entry(company.number, None)
    elif stream == SUB_UNITS:
        ended = before is not None and _has_ended(before, company)
        kind = "Ny" if before is None else "Sletting" if ended else "Endring"
        yield _feed_entry(underenheter.sub_unit_number(company), kind)
    else:
        yield from _entity_entries(before, company)


def _has_ended(before: Company, after: Company) -> bool:
    return before.is_in_register and not after.is_in_register


def _entity_entries(before: Company | None, after: Company) -> Iterator[Entry]:
    if before is None:
        yield _feed_entry(after.number, "Ny")
    elif _has_ended(before, after):
        yield _feed_entry(after.number, "Endring", [{"op": "replace", "path": "/underAvvikling", "value": False}])
        yield _feed_entry(after.number, "Sletting")
    elif patches := list(_entity_patches(enheter.entity_record(before), enheter.entity_record(after))):
        # like the register: changes of one moment become several entries
        yield from (_feed_entry(after.number, "Endring", [patch]) for patch in patches)


def _entity_patches(before: Entry, after: Entry) -> Iterator[Entry]:
    for name in sorted((before.keys() | after.keys()) - {"_links"}):
        if name not in after:
            yield {"op": "remove", "path": f"/{name}"}
        elif name not in before:
            yield {"op": "add", "path": f"/{name}", "value": after[name]}
        elif before[name] != after[name]:
            yield {"op": "replace", "path": f"/{name}", "value": _counts_as_float(after[name])}


def _counts_as_float(value: object) -> object:
    """Converts counts to floats, as the feed sends them."""
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _employee_count_wave(world: World, day: int) -> Iterator[Entry]:
    today = world.date(day).isoformat()
    for position in range(min(_WAVE, world.count("NO", 0))):
        patches = [{"op": "replace", "path": f"/{name}", "value": today} for name in _COUNTS]
        yield _feed_entry(world.company("NO", position, day).number, "Endring", patches)


def _feed_entry(number: str, kind: str | None, patches: list[Entry] | None = None) -> Entry:
    entry: Entry = {"organisasjonsnummer": number, "endringstype": kind}
    return entry if patches is None else {**entry, "endringer": patches}


def hal_page(stream: str, entries: list[Entry], query: Query, feed_faults: FeedFaults) -> Entry:
    """A page of entities or sub-units; without entries it has no `_embedded`."""
    asked = [entry for entry in entries if _is_requested(entry, query, feed_faults)]
    if query.get("sort") == "id,DESC":
        asked.reverse()
    shown = _with_faults(asked[: _page_size(query, 20, feed_faults)], feed_faults)
    wants_patches = query.get("includeChanges") == "true"
    page: Entry = {
        "_links": {"self": {"href": f"{HOST}/oppdateringer/{stream}"}},
        "page": {"size": _page_size(query, 20, feed_faults), "totalElements": len(asked), "totalPages": 1, "number": 0},
    }
    if not shown:
        return page
    return {"_embedded": {COLLECTIONS[stream]: [_linked_entry(stream, item, wants_patches) for item in shown]}, **page}


def _linked_entry(stream: str, entry: Entry, wants_patches: bool) -> Entry:
    kept = {name: value for name, value in entry.items() if name != "endringer" or wants_patches}
    link = f"{HOST}/{stream}/{entry['organisasjonsnummer']}"
    return {**kept, "_links": {"enhet" if stream == ENTITIES else "underenhet": {"href": link}}}


def cloud_events(entries: list[Entry], query: Query, feed_faults: FeedFaults) -> list[Entry]:
    """An array of CloudEvents of the role feed; `afterId` is exclusive."""
    asked = [entry for entry in entries if _is_requested(entry, query, feed_faults)]
    shown = _with_faults(asked[: _page_size(query, 100, feed_faults)], feed_faults)
    return [
        {
            "specversion": "1.0",
            "id": str(entry["oppdateringsid"]),
            "source": f"{HOST}/enheter/{entry['organisasjonsnummer']}/roller",
            "type": "no.brreg.enhetsregisteret.rolle.oppdatert",
            "time": entry["dato"],
            "data": {"organisasjonsnummer": entry["organisasjonsnummer"]},
        }
        for entry in shown
    ]


def _is_requested(entry: Entry, query: Query, temper: FeedFaults) -> bool:
    if temper.replayed:
        return True
    after = query.get("afterId")
    return (
        entry["oppdateringsid"] >= int(query.get("oppdateringsid", "1"))
        and (after is None or entry["oppdateringsid"] > int(after))
        and entry["dato"] >= query.get("dato", query.get("afterTime", ""))
    )


def _page_size(query: Query, usual: int, temper: FeedFaults) -> int:
    return min(int(query.get("size", usual)), temper.largest)


def _with_faults(page: list[Entry], temper: FeedFaults) -> list[Entry]:
    if temper.duplicates_entries:
        page = [entry for entry in page for _ in range(2)]
    if temper.is_shuffled:
        page = [*page[1::2], *page[::2]]
    return page
