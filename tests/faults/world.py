"""A small world of one market, taken in once: what every fault meets on its second day.

Belongs here: the world and what a run without a fault makes of it; striking at a step; what must hold of a data
folder after a fault and after the run that follows. Does not belong here: the faults.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import pytest

import pipelines.ingest.run
from sandbox import World, write_days
from tests.firm.inside import Inside, Said, fact_keys
from warehouse.ledger.ledger import Ledger
from warehouse.publish.publisher import ReleaseStore
from warehouse.raw.archive import RawArchive
from warehouse.release import manifest as release_manifest
from warehouse.storage.layout import Layout

MARKET = "FI"
WORLD = World(seed=5, companies=60, days=2, markets=(MARKET,))
Hook = Callable[[str], None]


@dataclass(frozen=True)
class State:
    """What a data folder serves and has told: number and content of its release, its events as `fact_key` has them."""

    release: int
    content: str
    events: tuple[str, ...]

    @classmethod
    def of(cls, data: Path) -> Self:
        manifest = release_manifest.served_manifest(Layout(data))
        assert manifest is not None
        found = Ledger(Layout(data)).after(0, 100_000)
        assert [event.sequence for event in found] == list(range(1, len(found) + 1))
        assert len({event.event_id for event in found}) == len(found)
        return cls(manifest.release, manifest.content_fingerprint, tuple(sorted(fact_keys(found))))


@dataclass(frozen=True)
class Prepared:
    """The first day taken in (`loaded`, `before`), and what the second makes of it without a fault (`after`)."""

    folder: Path

    @property
    def days(self) -> list[Path]:
        return sorted(path for path in (self.folder / "days").iterdir() if path.is_dir())

    @property
    def loaded(self) -> Inside:
        return Inside(self.folder / "loaded", has_dagster=True)  # its records are among what fails

    @property
    def before(self) -> State:
        return self._state("before")

    @property
    def after(self) -> State:
        return self._state("after")

    def _state(self, name: str) -> State:
        told: dict[str, Any] = json.loads((self.folder / f"{name}.json").read_text())
        return State(told["release"], told["content"], tuple(told["events"]))

    def keep(self, name: str, state: State) -> None:
        (self.folder / f"{name}.json").write_text(json.dumps(vars_of(state)))


def vars_of(state: State) -> dict[str, Any]:
    """A state as JSON has it."""
    return {"release": state.release, "content": state.content, "events": list(state.events)}


def prepare(folder: Path) -> None:
    """Makes the world and both ends of its second day."""
    prepared = Prepared(folder)
    write_days(WORLD, folder / "days")
    assert take(prepared.loaded, prepared.days[0]).exit_code == 0
    prepared.keep("before", State.of(prepared.loaded.data))
    sound = prepared.loaded.copy(folder / "sound")
    assert take(sound, prepared.days[1]).exit_code == 0
    prepared.keep("after", State.of(sound.data))


def take(firm: Inside, day: Path) -> Said:
    """`firm ingest` of one day, its progress on standard error."""
    return firm.run("ingest", "--from", day)


@contextmanager
def watched(hook: Hook) -> Iterator[None]:
    """Ingests of the command line tell a hook each step that the stores name and each line of progress."""
    genuine = pipelines.ingest.run.ingest

    def ingest(*given: Any) -> Any:
        settings, markets, origin, at, progress, overrides = given

        def told(line: str) -> None:
            progress(line)
            hook(line)

        return genuine(settings, markets, origin, at, told, replace(overrides, on_step=hook))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipelines.ingest.run, "ingest", ingest)
        yield


def at(place: str, strike: Callable[[], None], nth: int = 1) -> Hook:
    """A hook that strikes once, when a step is reached for the nth time."""
    left = nth

    def reached(name: str) -> None:
        nonlocal left
        left -= name.startswith(place)
        if not left and name.startswith(place):
            left = -1_000_000
            strike()

    return reached


def is_unharmed(prepared: Prepared, data: Path) -> bool:
    """The last release is served as it was and reads through; every body of before is in RAW, and sound."""
    layout = Layout(data)
    assert State.of(data) == prepared.before
    ReleaseStore(layout).verify_release(prepared.before.release)
    former, now = RawArchive(prepared.loaded.layout), RawArchive(layout)
    for dataset in former.datasets():
        lines = list(former.manifest_lines(dataset))
        assert list(now.manifest_lines(dataset))[: len(lines)] == lines
        for piece in former.bodies(dataset):
            now.verify_body(piece)
    return True


def is_healed(prepared: Prepared, data: Path) -> bool:
    """What is served and told is what a run without a fault makes of the day."""
    found = State.of(data)
    assert (found.content, found.events) == (prepared.after.content, prepared.after.events)
    ReleaseStore(Layout(data)).verify_release(found.release)
    return True
