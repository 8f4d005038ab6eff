"""Findings of `firm doctor`: names that are nearly those of settings, which nothing reads; the same as warnings.

Does not belong here: whether a setting's value is right (its class).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from firm.console import print_line
from firm.doctor import DoctorFinding
from firm.environment import read_environment
from warehouse.settings.area import areas_within, own_settings

_PREFIX = "FIRM_"


def warn_of_misspelt_settings() -> None:
    """Prints a line on standard error for each such name; for commands that ingest or start what does.

    The settings of the service are loaded only where a name may be one of them: that takes a fifth of a second.
    """
    from pipelines.settings import IngestSettings

    areas = (IngestSettings, *areas_within(IngestSettings).values())
    own = {name for area in areas for name in own_settings(area).values()}
    if others := {name for name in read_environment() if name.startswith(_PREFIX)} - own:
        for line in misspelt_lines(others):
            print_line(line)


def misspelt_lines(given: Iterable[str]) -> list[str]:
    """The findings as lines, for whoever starts a service."""
    return [f"{found.subject}: {found.advice}" for found in misspelt_findings(given)]


def misspelt_findings(given: Iterable[str]) -> Iterator[DoctorFinding]:
    """Names in the environment or in `.env` that are one letter, or two letters swapped, away from a setting."""
    from rapidfuzz.distance import OSA

    from firm.settings_page import list_areas

    known = {setting.name for area in list_areas() for setting in area.settings}
    for name in sorted(set(given) - known):
        meant = [one for one in sorted(known) if OSA.distance(name, one, score_cutoff=1) <= 1]
        if name.startswith(_PREFIX) and meant:
            yield DoctorFinding("warn", f"{name} is no setting and has no effect", f"did you mean {meant[0]}?")
