"""How far first loads are that take many runs: one small file per dataset, written by every run that leaves a rest.

It is stored outside releases, as a run may fetch without publishing. Does not belong here: which datasets load in parts
(`connectors`), or showing the figures (`firm.doctor`, `pipelines.steps.fetch`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

_SUFFIX: Final = ".json"


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """A load of one dataset that is not complete.

    began_at: the first run that left a rest; began_with: that rest. at: the newest such run. remaining: its rest, in
    `unit` («companies», «days»); None where the source does not tell. fetched: bodies since the beginning.
    """

    dataset: str
    began_at: datetime
    at: datetime
    fetched: int
    remaining: int | None = None
    began_with: int | None = None
    unit: str = ""

    @property
    def done_at(self) -> datetime | None:
        """When the load will be complete if it goes on at the pace of its runs so far; None if that is not known."""
        if self.remaining is None or self.began_with is None or self.remaining >= self.began_with:
            return None
        return self.at + (self.at - self.began_at) * (self.remaining / (self.began_with - self.remaining))

    def describe(self) -> str:
        """«12,000 companies left, 418,000 fetched; complete about 2026-12-03 14:00 UTC»."""
        if self.remaining is None:
            return f"{self.fetched:,} fetched since {self.began_at:%Y-%m-%d %H:%M} UTC, more to come"
        done = self.done_at
        ends = "the next run will show the pace" if done is None else f"complete about {done:%Y-%m-%d %H:%M} UTC"
        return f"{self.remaining:,} {self.unit} left, {self.fetched:,} fetched; {ends}"


def read_load_progress(layout: Layout) -> Iterator[LoadProgress]:
    """The loads that are not complete, by dataset."""
    for path in sorted(layout.load_progress_folder.glob(f"*{_SUFFIX}")):
        values = json.loads(path.read_bytes())
        yield LoadProgress(
            **values
            | {"began_at": datetime.fromisoformat(values["began_at"]), "at": datetime.fromisoformat(values["at"])}
        )


def record_load_progress(
    layout: Layout, dataset: str, at: datetime, fetched: int, remaining: tuple[int, str] | None
) -> LoadProgress:
    """Records a run that left a rest, and returns what is known of the load since its first one."""
    count, unit = remaining or (None, "")
    known = next((one for one in read_load_progress(layout) if one.dataset == dataset), None)
    found = (
        LoadProgress(dataset, at, at, fetched, count, count, unit)
        if known is None
        else replace(known, at=at, fetched=known.fetched + fetched, remaining=count, unit=unit)
    )
    if known is not None and (known.began_with is None or (count or 0) > known.began_with):
        found = replace(found, began_at=at, began_with=count)
    atomic_files.make_folder(layout.load_progress_folder)
    atomic_files.write_json(layout.load_progress_folder / f"{dataset}{_SUFFIX}", atomic_files.json_fields(found))
    return found


def forget_load_progress(layout: Layout, dataset: str) -> None:
    """Removes what is recorded of a load that is complete."""
    atomic_files.delete_if_exists(layout.load_progress_folder / f"{dataset}{_SUFFIX}")
