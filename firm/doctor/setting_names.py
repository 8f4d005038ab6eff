"""Findings of `firm doctor`: names that are nearly those of settings, which nothing reads.

Does not belong here: whether a setting's value is right (its class).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rapidfuzz.distance import OSA

from firm.doctor import DoctorFinding
from firm.settings_page import PREFIX, list_areas


def misspelt_findings(given: Iterable[str]) -> Iterator[DoctorFinding]:
    """Names in the environment or in `.env` that are one letter, or two letters swapped, away from a setting."""
    known = {setting.name for area in list_areas() for setting in area.settings}
    for name in sorted(set(given) - known):
        meant = [one for one in sorted(known) if OSA.distance(name, one, score_cutoff=1) <= 1]
        if name.startswith(PREFIX) and meant:
            yield DoctorFinding("warn", f"{name} is no setting and has no effect", f"did you mean {meant[0]}?")
