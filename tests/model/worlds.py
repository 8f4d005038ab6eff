"""Random small worlds, as a hypothesis state machine; how many is a setting.

Does not belong here: what must hold of a world (`world`).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, ClassVar, Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.model.market import ACCOUNTS_KEY, BANDS, CHANNELS, NUMBERS, OWNERS_KEY, REVENUES, STATUSES, YEARS
from tests.model.world import A_MINUTE, DEATHS, FAR_AHEAD, Death, Delivery, PlainWorld, WholeWorld

SETTING: Final = "FIRM_WORLDS"
ORDINARY_NUMBER: Final = 2_000
RUNS: Final = 4  # of a world, after its first
PLAIN_PER_WHOLE: Final = 200

_MEMORY: Final = "/dev/shm"  # small worlds wait for no disk there, and none of them is about disks

# Of files drawn below.
_AGES: Final = (None, None, None, None, 0, 0, 1, 2, 3, -FAR_AHEAD)  # days before the run; None: as fetched
_STATED: Final[dict[str, Any]] = {
    OWNERS_KEY: st.sampled_from(BANDS),
    ACCOUNTS_KEY: st.tuples(st.sampled_from(YEARS), st.sampled_from(REVENUES)),
}
_STATUSES: Final = st.sampled_from(STATUSES)
# Made once, not anew for each file that is drawn
_CONTENTS: Final = {
    channel: st.dictionaries(
        st.sampled_from(NUMBERS),
        _STATED.get(channel, _STATUSES),
        min_size=1,
        max_size=1 if channel == ACCOUNTS_KEY else len(NUMBERS),
    )
    for channel in CHANNELS
}
_CHANNELS: Final = st.sampled_from(CHANNELS)
_ANY_AGE: Final = st.sampled_from(_AGES)


def number_of_worlds() -> int:
    """How many worlds are tried, by the environment."""
    return int(os.environ.get(SETTING) or ORDINARY_NUMBER)


@st.composite
def deliveries(draw: st.DrawFn) -> tuple[Delivery, int | None]:
    """A file of any channel, with its age."""
    channel = draw(_CHANNELS)
    content = draw(_CONTENTS[channel])
    return Delivery(channel, content, None, draw(st.booleans())), draw(_ANY_AGE)


_batches: Final = st.lists(deliveries(), min_size=1, max_size=3)
_deaths: Final = st.none() | st.none() | st.tuples(st.sampled_from(DEATHS), st.integers(1, 3))


class SmallWorlds(RuleBasedStateMachine):
    """Days in the life of a market: a rule for each thing that happens to it."""

    world_class: ClassVar[type[WholeWorld]] = PlainWorld
    folder: ClassVar[str | None] = _MEMORY if os.access(_MEMORY, os.W_OK) else None

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="world-", dir=self.folder))
        self.world = self.world_class(self.root)

    def _dated(self, files: list[tuple[Delivery, int | None]], today: int) -> list[Delivery]:
        dated = [
            Delivery(one.channel, one.content, None if age is None else today - age, one.is_complete)
            for one, age in files
        ]
        return list({one.name: one for one in dated}.values())  # a folder has one file of a name

    @initialize(files=_batches, fetches_first=st.booleans())
    def first_run(self, files: list[tuple[Delivery, int | None]], *, fetches_first: bool) -> None:
        self.world.fetches_first = fetches_first
        self.world.run(self._dated(files, 1))

    @rule(files=_batches, death=_deaths)
    def next_run(self, files: list[tuple[Delivery, int | None]], death: tuple[str, int] | None) -> None:
        self.world.run(self._dated(files, self.world.day + 1), Death(*death) if death else None)

    @rule(files=_batches, death=_deaths)
    def run_of_the_same_day(self, files: list[tuple[Delivery, int | None]], death: tuple[str, int] | None) -> None:
        self.world.run(self._dated(files, self.world.day), Death(*death) if death else None, A_MINUTE)

    @rule(files=_batches)
    def executed_again(self, files: list[tuple[Delivery, int | None]]) -> None:
        self.world.run_again(self._dated(files, self.world.day))

    def teardown(self) -> None:
        try:
            if self.world.is_unfinished:
                self.world.run([])
            self.world.check_rebuild()
        finally:
            self.world.close()
            shutil.rmtree(self.root)


class WholeWorlds(SmallWorlds):
    """The same with everything on disk; and an operator takes batches out."""

    world_class = WholeWorld
    folder = None

    @rule(which=st.integers(0, 3))
    def batch_retracted(self, which: int) -> None:
        if self.world.is_unfinished:
            self.world.run([])
        self.world.retract(which)


def world_settings(examples: int) -> settings:
    """Settings of a search among so many worlds."""
    return settings(
        derandomize=SETTING not in os.environ,  # what a change breaks, not what chance finds
        max_examples=examples,
        stateful_step_count=RUNS,
        suppress_health_check=[HealthCheck.too_slow],
        deadline=None,
    )
